"""A grid of text cells, and its rendering as Markdown. Nothing here knows what the cells mean."""

from __future__ import annotations

from collections.abc import Sequence

BEST, SECOND = "best", "second"
MARKDOWN_MARKS = {BEST: ("**", "**"), SECOND: ("<u>", "</u>")}


def render_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns; text is escaped."""
    return align_markdown(*([escape_markdown(cell) for cell in row] for row in (header, *rows)))


def align_markdown(header: Sequence[str], *rows: Sequence[str]) -> str:
    """A Markdown table of cells that are Markdown already."""
    cells = [header, *rows]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(header))]
    lines = [_line(row, widths) for row in cells]
    lines.insert(1, _line(["-" * width for width in widths], widths))
    return "\n".join(lines) + "\n"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"


def escape_markdown(text: str) -> str:
    for sign in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "|": r"\textbar{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "–": "--",
    "²": r"\textsuperscript{2}",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "ε": r"$\varepsilon$",
    "\n": " ",
}


def escape_latex(text: str) -> str:
    """Text for LaTeX; what T1 fonts lack becomes a question mark rather than an error."""
    parts = text.split("--")  # which LaTeX would join to one dash
    return "-{}-".join(
        "".join(LATEX.get(c, c if c.isascii() else "?") for c in part) for part in parts
    )


def render_plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns for a terminal."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = (zip(row, widths, strict=True) for row in (header, *rows))
    return "\n".join("  ".join(c.ljust(w) for c, w in line).rstrip() for line in lines) + "\n"
