"""Finds, downloads and reads the raw files of data sets."""
