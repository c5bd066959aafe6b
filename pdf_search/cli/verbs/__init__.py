"""The verbs, one file each. Those that start from something recorded are in ``recorded``."""
