"""Records what happens to each trial, recovers it after a stop, and shows progress."""
