"""Planted tasks: real molecules whose targets are made of known bases (eps, k)."""
