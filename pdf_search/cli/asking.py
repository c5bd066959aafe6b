"""Asks the user before something is removed."""

from __future__ import annotations

import sys

import typer

from pdf_search.cli.output import say
from pdf_search.errors import ConfigError


def agreed(question: str, yes: bool) -> bool:
    """Ask on standard error, and return the answer; ``yes`` answers in advance.

    Raises:
        ConfigError: nobody can be asked, as standard input is no terminal.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ConfigError("nothing is removed without an answer: give --yes")
    if typer.confirm(question, err=True):
        return True
    say("nothing is removed")
    return False
