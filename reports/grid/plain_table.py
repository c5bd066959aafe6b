"""Tables of text cells as Markdown, or aligned for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

BEST, SECOND = "best", "second"
MARKDOWN_MARKS = {BEST: ("**", "**"), SECOND: ("<u>", "</u>")}


def render_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns. The cells are plain text and are escaped."""
    return align_markdown(*([escape_markdown(cell) for cell in row] for row in (header, *rows)))


def align_markdown(header: Sequence[str], *rows: Sequence[str]) -> str:
    """A Markdown table with aligned columns. The cells are Markdown already."""
    cells = [header, *rows]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(header))]
    lines = [_line(row, widths) for row in cells]
    lines.insert(1, _line(["-" * width for width in widths], widths))
    return "\n".join(lines) + "\n"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"


def escape_markdown(text: str) -> str:
    """Escape Markdown's special signs; runs of white space become one space."""
    for sign in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def render_plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with aligned columns for a terminal."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = (zip(row, widths, strict=True) for row in (header, *rows))
    return "\n".join("  ".join(c.ljust(w) for c, w in line).rstrip() for line in lines) + "\n"
