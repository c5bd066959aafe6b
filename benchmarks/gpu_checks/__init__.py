"""``gpu_check.py``, piece by piece. The parent process imports the standard library alone."""
