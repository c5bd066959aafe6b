"""Splits a data set into training, validation and test part, and makes the notes on the split."""
