"""Tables of text cells as Markdown, or aligned for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import fill

BEST, SECOND = "best", "second"
MOST_KEYS = 3  # columns that each part of a table repeats
NARROWEST = 20  # letters to which a cell is folded at least
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


def escape_sentence(text: str) -> str:
    """Escape a sentence for Markdown, but what stands in backticks, such as a command."""
    parts = re.split(r"(?<!`)(`[^`]+`)(?!`)", text)
    parts = [part if i % 2 else _escaped(part) for i, part in enumerate(parts)]
    return " ".join("".join(parts).split())


def escape_markdown(text: str) -> str:
    """Escape Markdown's special signs; runs of white space become one space."""
    return " ".join(_escaped(text).split())


def _escaped(text: str) -> str:
    for sign in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(sign, "\\" + sign)
    return text


def render_plain(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None
) -> str:
    """A table with aligned columns for a terminal.

    ``width`` is that of the terminal; None: any. In a narrower one the table goes on below, with
    the first columns again that tell the rows apart, and long cells are folded.
    """
    widths = _widths([header, *rows])
    if width is None or sum(widths) + 2 * (len(widths) - 1) <= width:
        return _aligned([header, *rows], widths)
    keys = _keys(rows)
    cells = [[fill(cell, max(NARROWEST, width // 2)) for cell in row] for row in (header, *rows)]
    widths = _widths(cells)
    blocks = _blocks(widths, keys, width)
    return "\n".join(
        _aligned([[row[i] for i in block] for row in cells], [widths[i] for i in block])
        for block in blocks
    )


def _keys(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first columns tell all rows apart; one if too many would be needed."""
    counts = (n for n in range(1, MOST_KEYS + 1) if len({tuple(r[:n]) for r in rows}) == len(rows))
    return next(counts, 1)


def _blocks(widths: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """The columns of each part of a table, each with the first ``keys`` and at least one more."""
    blocks, block = [], list(range(keys))
    for column in range(keys, len(widths)):
        if len(block) > keys and sum(widths[i] + 2 for i in block) + widths[column] > width:
            blocks.append(block)
            block = list(range(keys))
        block.append(column)
    return [*blocks, block]


def _widths(cells: Sequence[Sequence[str]]) -> list[int]:
    columns = zip(*cells, strict=True)
    return [max(len(line) for cell in column for line in _lines(cell)) for column in columns]


def _aligned(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    lines = [line for row in cells for line in zip_longest(*map(_lines, row), fillvalue="")]
    padded = ((c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in lines)
    return "\n".join("  ".join(line).rstrip() for line in padded) + "\n"


def _lines(cell: str) -> list[str]:
    return cell.split("\n")
