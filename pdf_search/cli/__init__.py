"""The command line: verbs that parse options, call the library and print.

A verb imports what it needs when it runs, so that ``--help`` is quick.
"""

from pdf_search.imports import quietly

with quietly():  # typer's own imports may be out of date with a newer click
    import typer  # noqa: F401

from pdf_search.cli.app import app, main

__all__ = ["app", "main"]
