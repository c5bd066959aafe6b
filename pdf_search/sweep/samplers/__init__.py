"""Chooses what is trained next: by Optuna, from a grid, from listed points.

This is the only package that imports Optuna.
"""
