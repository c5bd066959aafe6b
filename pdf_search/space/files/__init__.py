"""Finds and reads space, setting and study files, and reports their problems with line numbers."""
