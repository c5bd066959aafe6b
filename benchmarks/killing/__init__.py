"""Parts of ``kills.py``: a sweep in one process, where it is killed, what must hold after."""
