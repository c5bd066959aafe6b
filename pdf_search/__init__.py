"""Hyperparameter search for PDF graph networks (Parameterized Decomposition & Filtering)."""

__version__ = "0.1.0"
