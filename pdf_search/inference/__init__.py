"""Use of a trained model: what it has learned, as data and plots."""
