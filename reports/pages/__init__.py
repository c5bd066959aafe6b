"""Curves, importance of hyperparameters, and the figures and HTML pages that show them."""
