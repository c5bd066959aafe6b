"""Reads a user's table file: its text, rows and cells, all as they are written."""
