"""Prepared data sets: built once, kept in the cache, mapped read-only."""
