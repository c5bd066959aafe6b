"""A grid as Markdown, as LaTeX (booktabs) and as CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reports.cell import CELL_COLUMNS, Cell
from reports.csv_files import to_csv
from reports.environment import templates
from reports.grid import Grid
from reports.latex import escape_latex
from reports.tables import BEST, MARKDOWN_MARKS, SECOND, align_markdown
from reports.tables import escape_markdown as escaped


def grid_markdown(grid: Grid) -> str:
    """Best in bold, second underlined; letters in brackets are footnotes."""
    letters = grid.footnotes()
    rows = [
        [*map(escaped, grid.labels(i)), *(_markdown(grid, cell, letters) for cell in line.cells)]
        for i, line in enumerate(grid.lines)
    ]
    header = [escaped(name) for name in (*grid.label_columns, *grid.columns)]
    parts = [f"# {escaped(grid.heading)}"]
    parts += [f"Partial: {escaped(notice)}." for notice in grid.notices]
    parts.append(align_markdown(header, *rows).rstrip())
    if letters:
        parts.append("\n".join(f"- [{mark}] {escaped(text)}" for text, mark in letters.items()))
    if notes := (*grid.notes, *grid.provenance):
        parts.append("\n".join(f"- {escaped(note)}" for note in notes))
    return "\n\n".join(parts) + "\n"


def _markdown(grid: Grid, cell: Cell | str, letters: dict[str, str]) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    before, after = MARKDOWN_MARKS.get(cell.mark, ("", ""))
    text = f"{before}{escaped(cell.printed)}{after}"
    if grid.subscripts and cell.parameters_text:
        text += f" <sub>{escaped(cell.parameters_text)}</sub>"
    return text + (rf" \[{letters[cell.footnote]}]" if cell.footnote else "")


def grid_latex(grid: Grid) -> str:
    """A table environment that needs booktabs and graphicx: what is wider than the page shrinks."""
    letters = grid.footnotes()
    rows = [
        {
            "rule": rule,
            "cells": [
                *map(escape_latex, grid.labels(i)),
                *(_latex(grid, cell, letters) for cell in line.cells),
            ],
            "comment": _sources(line.cells),
        }
        for i, (line, rule) in enumerate(zip(grid.lines, grid.begins_section, strict=True))
    ]
    return (
        templates()
        .get_template("grid.tex.j2")
        .render(
            grid=grid,
            rows=rows,
            letters=letters,
            tex=escape_latex,
            label=re.sub(r"[^A-Za-z0-9-]", "-", grid.key),
        )
    )


def _latex(grid: Grid, cell: Cell | str, letters: dict[str, str]) -> str:
    if isinstance(cell, str):
        return cell if cell.startswith("$") else escape_latex(cell)
    value, spread = map(escape_latex, cell.texts)
    if cell.mark == BEST:
        value, spread = rf"\textbf{{{value}}}", rf"\textbf{{{spread}}}" if spread else ""
    text = rf"{value} $\pm$ {spread}" if spread else value
    if cell.mark == SECOND:
        text = rf"\underline{{{text}}}"
    if cell.footnote:
        text += rf"\textsuperscript{{{letters[cell.footnote]}}}"
    if grid.subscripts and cell.parameters_text:
        text += rf"\textsubscript{{{escape_latex(cell.parameters_text)}}}"
    return text


def _sources(cells: Sequence[Cell | str]) -> str:
    sources = (cell.source for cell in cells if isinstance(cell, Cell) and cell.source)
    return escape_latex("; ".join(dict.fromkeys(sources)))


def grid_csv(grids: Sequence[Grid]) -> str:
    """One line a number, published ones included, none rounded; no number is an empty cell."""
    lines = [
        {"table": grid.key, "line": " ".join(filter(None, (line.group, line.name)))}
        | {"column": column}
        | cell.as_dict()
        for grid in grids
        for line, column, cell in grid.numbers()
    ]
    return to_csv(["table", "line", "column", *CELL_COLUMNS], lines)
