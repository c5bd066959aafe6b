"""Search methods replayed on recorded curves."""
