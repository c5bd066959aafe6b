"""Lays settings over others (``--set``, ``extends``, rows of studies), and compares trees."""
