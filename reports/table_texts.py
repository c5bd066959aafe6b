"""The result table as Markdown and as LaTeX (booktabs)."""

from __future__ import annotations

import re

from reports.environment import templates
from reports.latex import escape_latex
from reports.result_table import ResultTable, TableRow, table_cells
from reports.tables import (
    BEST,
    MARKDOWN_MARKS,
    SECOND,
    align_markdown,
    escape_markdown,
)


def table_markdown(table: ResultTable) -> str:
    """Best in bold; Markdown has no underline, so second is in HTML's."""
    header, rows = table_cells(table)
    cells = [[escape_markdown(cell) for cell in row] for row in (header, *rows)]
    for line, row in zip(cells[1:], table.rows, strict=True):
        before, after = MARKDOWN_MARKS.get(row.mark, ("", ""))
        line[1] = f"{before}{line[1]}{after}"
    parts = [f"# {escape_markdown(table.dataset)}: {table.value_header}"]
    parts += [f"Partial: {notice}." for notice in table.notices]
    parts += [align_markdown(*cells).rstrip(), "\n".join(f"- {note}" for note in table.notes)]
    return "\n\n".join(parts) + "\n"


def table_latex(table: ResultTable) -> str:
    """A table environment that needs booktabs and nothing else."""
    rows = [
        {"method": _method(row), "value": _value(table, row), "row": row, "first": first}
        for row, first in _with_group_starts(table)
    ]
    return (
        templates()
        .get_template("table.tex.j2")
        .render(
            table=table,
            rows=rows,
            tex=escape_latex,
            caption=" ".join(table.notes),
            label=re.sub(r"[^A-Za-z0-9-]", "-", table.sweep),
        )
    )


def _with_group_starts(table: ResultTable) -> list[tuple[TableRow, bool]]:
    kinds = [row.kind for row in table.rows]
    return [(row, i > 0 and kinds[i - 1] != row.kind) for i, row in enumerate(table.rows)]


def _method(row: TableRow) -> str:
    return escape_latex(f"{row.method} ({row.note})" if row.note else row.method)


def _value(table: ResultTable, row: TableRow) -> str:
    value, spread = escape_latex(row.value_text), escape_latex(row.spread_text)
    if row.mark == BEST:
        value, spread = rf"\textbf{{{value}}}", rf"\textbf{{{spread}}}" if spread else ""
    text = rf"{value} $\pm$ {spread}" if spread else value
    if row.mark == SECOND:
        text = rf"\underline{{{text}}}"
    return text if row.split == table.split else text + f" ({row.split})"
