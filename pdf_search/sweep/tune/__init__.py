"""Runs trials on Ray Tune: the session, the runner, the callbacks and the worker's function.

This is the only package that imports Ray.
"""
