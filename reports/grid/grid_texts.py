"""Rendering a grid as Markdown, as LaTeX (booktabs), as CSV, and as plain text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

from reports.grid.cell import CELL_COLUMNS, Cell
from reports.grid.grid import Formula, Grid
from reports.grid.latex import escape_latex
from reports.grid.plain_table import (
    BEST,
    MARKDOWN_MARKS,
    SECOND,
    align_markdown,
    escape_sentence,
    render_plain,
)
from reports.grid.plain_table import escape_markdown as escaped
from reports.pages.environment import templates

CSV_COLUMNS = ("table", "line", "column", *CELL_COLUMNS)


def tables_as_files(name: str, grids: Sequence[Grid]) -> dict[str, str]:
    """Contents of NAME.csv, NAME.md and NAME.tex; each file holds all tables."""
    return {
        f"{name}.csv": grid_csv(grids),
        f"{name}.md": "\n".join(map(grid_markdown, grids)),
        f"{name}.tex": "\n".join(map(grid_latex, grids)),
    }


def grid_plain(grid: Grid, most: int | None = None, width: int | None = None) -> str:
    """The first ``most`` lines as aligned text for a terminal ``width`` wide, without notes."""
    rows = [
        [*grid.labels(i), *(cell if isinstance(cell, str) else cell.printed for cell in line.cells)]
        for i, line in enumerate(grid.lines[:most])
    ]
    return render_plain((*grid.label_columns, *grid.columns), rows, width)


def grid_markdown(grid: Grid) -> str:
    """The table in Markdown: best in bold, second underlined, footnotes as letters in brackets."""
    letters = grid.footnotes()
    rows = [
        [*map(escaped, grid.labels(i)), *(_markdown(grid, cell, letters) for cell in line.cells)]
        for i, line in enumerate(grid.lines)
    ]
    header = [escaped(name) for name in (*grid.label_columns, *grid.columns)]
    parts = [f"# {escaped(grid.heading)}"]
    parts += map(escape_sentence, grid.lead)
    parts += [f"Partial: {escape_sentence(notice)}." for notice in grid.notices]
    parts.append(align_markdown(header, *rows).rstrip())
    if letters:
        parts.append(
            "\n".join(f"- [{mark}] {escape_sentence(text)}" for text, mark in letters.items())
        )
    if notes := (*grid.notes, *grid.provenance):
        parts.append("\n".join(f"- {escape_sentence(note)}" for note in notes))
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
    """The table in LaTeX, which needs booktabs.

    Where graphicx is loaded, a table that is wider than the page is shrunk to it.
    """
    letters = grid.footnotes()
    shown = [name not in grid.asides for name in grid.columns]
    rows = [
        {
            "rule": rule,
            "cells": [
                *map(escape_latex, grid.labels(i)),
                *(_latex(grid, cell, letters) for cell in compress(line.cells, shown)),
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
            columns=[*grid.label_columns, *compress(grid.columns, shown)],
            letters=letters,
            tex=escape_latex,
            label=re.sub(r"[^A-Za-z0-9-]", "-", grid.key),
        )
    )


def _latex(grid: Grid, cell: Cell | str, letters: dict[str, str]) -> str:
    if isinstance(cell, str):
        return cell if isinstance(cell, Formula) else escape_latex(cell)
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
    """The tables as CSV: no number is rounded, and a missing one is an empty cell.

    There is one line per number, published ones included; or one line per record, if a grid names
    its fields. Lists and trees are JSON.
    """
    fields = next((grid.fields for grid in grids if grid.fields), CSV_COLUMNS)
    out = io.StringIO()
    writer = csv.DictWriter(out, fields, lineterminator="\n")
    writer.writeheader()
    for grid in grids:
        for record in _records(grid):
            writer.writerow({key: _plain(value) for key, value in record.items()})
    return out.getvalue()


def _records(grid: Grid) -> Iterable[Mapping[str, Any]]:
    if grid.fields:
        return (line.record for line in grid.lines)
    return (
        {"table": grid.key, "line": " ".join(filter(None, (line.group, line.name)))}
        | {"column": column}
        | cell.as_dict()
        for line, column, cell in grid.numbers()
    )


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, tuple, dict)) else value
