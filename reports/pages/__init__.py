"""Figures and pages: curves, importance, HTML."""
