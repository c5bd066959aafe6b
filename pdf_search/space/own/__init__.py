"""Writes a search space for data of one's own, by their size and task."""
