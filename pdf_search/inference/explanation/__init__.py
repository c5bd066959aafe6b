"""What a trained model has learned on one graph: data, plots, page."""
