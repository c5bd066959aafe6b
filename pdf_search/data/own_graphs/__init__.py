"""Reads graphs of one's own that are no molecules: PyG lists, files of them, and TU folders."""
