"""Target columns: their numbers or classes, the task they pose, the metrics that fit."""
