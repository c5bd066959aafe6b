"""Reads and checks studies: tables of fixed configurations."""
