"""Verbs on what is recorded: read it, continue it, or train some of it again."""
