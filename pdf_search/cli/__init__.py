"""The command line: verbs that parse, call and print. Each imports what it needs when it runs."""

from pdf_search.cli.app import app, main

__all__ = ["app", "main"]
