"""Prepared data sets, which are built once, kept in the cache and mapped read-only."""
