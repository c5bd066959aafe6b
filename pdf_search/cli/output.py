"""Prints for the verbs: results on standard output, all else on standard error."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Mapping
from typing import Any

from pdf_search.errors import PdfSearchError
from pdf_search.wording import without_control


def say(text: str) -> None:
    """Print a message for people, on standard error."""
    print(without_control(text), file=sys.stderr, flush=True)


def print_result(text: str) -> None:
    """Print a result for people; a note says so if standard output cannot encode all its letters.

    Raises:
        PdfSearchError: standard output cannot be written, for instance to a full disk.
    """
    _print(without_control(text))


def print_data(text: str) -> None:
    """Print a table for programs: each character as it is, unless a terminal shows it.

    Raises:
        PdfSearchError: as ``print_result``.
    """
    _print(without_control(text) if sys.stdout.isatty() else text)


def _print(text: str) -> None:
    if not _can_say(text):
        say(
            f"note: standard output knows only {sys.stdout.encoding}: other letters are written by "
            "their number, such as \\xf6; files have them all. PYTHONIOENCODING=utf-8 changes it"
        )
    try:
        print(text.rstrip("\n"), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PdfSearchError(f"the output cannot be written: {error.strerror}") from None


def terminal_width() -> int | None:
    """How many letters a line of the terminal has; None where standard output is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_table(markdown: str) -> None:
    """Print a table in Markdown: drawn on a terminal, else as it stands, for files and programs."""
    if not sys.stdout.isatty():
        print_result(markdown)
        return
    from rich.console import Console
    from rich.theme import Theme

    from pdf_search.cli.folded_markdown import FoldedMarkdown

    # Markdown has no sign of its own for underlined.
    text = re.sub(r"(?<!\\)</?u>", "*", without_control(markdown))
    Console(theme=Theme({"markdown.em": "underline"})).print(FoldedMarkdown(text))


def print_json(value: Any) -> None:
    """Print a result for programs as strict JSON, where a number that is not finite is null."""
    from pydantic_core import to_jsonable_python

    tree = to_jsonable_python(value, inf_nan_mode="null", fallback=str)
    text = json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)
    print_result(text if _can_say(text) else json.dumps(tree, indent=2, allow_nan=False))


def _can_say(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def facts(pairs: Mapping[str, Any]) -> str:
    """Format pairs of name and value as aligned lines; empty values are left out."""
    shown = {name: str(value) for name, value in pairs.items() if value not in ("", None)}
    width = max(map(len, shown), default=0)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in shown.items())


def megabytes(size: int) -> str:
    """A number of bytes in megabytes (10^6), with one decimal."""
    return f"{size / 1e6:,.1f} MB"
