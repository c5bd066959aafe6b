"""Grids of cells, and their rendering as Markdown, LaTeX, CSV and plain text."""
