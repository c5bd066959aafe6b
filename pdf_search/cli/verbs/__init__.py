"""The verbs, one file each; those that start from something recorded are in ``recorded``."""
