"""What is tried next: Optuna, grids, listed points. The only room that imports optuna."""
