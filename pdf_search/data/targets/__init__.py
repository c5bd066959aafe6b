"""Reads target columns as numbers or classes, and finds their task and the metrics that fit it."""
