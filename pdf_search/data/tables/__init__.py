"""A person's table file: its text, rows and cells as they stand."""
