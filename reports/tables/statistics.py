"""Statistics of data sets, computed from loaded data, beside the numbers that the paper prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from reports.grid.cell import PUBLISHED, Cell
from reports.grid.grid import ABSENT, Grid, Line
from reports.published_numbers import checked_files

COUNTS = {"graphs": "graphs", "nodes": "nodes", "edges": "edges"}
FLAGS = {"node_attributes": "node attr", "edge_attributes": "edge attr"}
NOTES = (
    "Computed from the raw files; nodes and edges are means over graphs. Edges are undirected and "
    "counted once, without self-loops; one-hot labels and constant inputs are no attributes.",
    "A difference is one that stays after rounding to the digits that the paper prints.",
)


def statistics_grid(found: Sequence[Mapping[str, Any]]) -> Grid:
    """Build the table: the data sets of the paper in its order, then others.

    ``found`` has what ``pdf_search.data.statistics`` returns for each data set, with ``nodes`` and
    ``edges`` not rounded. Data sets of the paper that are not in it show the paper's numbers alone.
    """
    (tree,) = checked_files("statistics")
    by_name = {item["name"]: item for item in found}
    printed = {row["name"]: row for row in tree["rows"]}
    lines = [
        _line(name, by_name.get(name), printed.get(name))
        for name in dict.fromkeys((*printed, *by_name))
    ]
    counts = [name for count in COUNTS.values() for name in (count, f"{count} (paper)")]
    return Grid(
        key="statistics",
        title="Statistics of the data sets",
        corner="Data set",
        columns=(*counts, *FLAGS.values(), "task", "difference"),
        lines=tuple(lines),
        notes=NOTES,
    )


def _line(name: str, item: Mapping[str, Any] | None, row: Mapping[str, Any] | None) -> Line:
    title = row["dataset"] if row else item["title"] if item else name
    cells: list[Cell | str] = []
    for key in COUNTS:
        cells += _count(name, key, item, row)
    words = {True: "Y", False: "N"}
    for key in FLAGS:
        mine = words[item[key]] if item else None
        cells.append(_beside(mine, words[row[key]] if row else None))
    cells.append(_beside(_task(item) if item else None, row["task"] if row else None))
    return Line(title, (*cells, ", ".join(differences(item, row)) if item and row else ABSENT))


def _beside(computed: str | None, printed: str | None) -> str:
    """The computed word; the paper's follows in brackets if it differs or none is computed."""
    if printed is None or (computed is not None and _same(computed, printed)):
        return computed or ABSENT
    return " ".join(filter(None, (computed, f"(paper: {printed})")))


def _same(computed: str, printed: str) -> bool:
    return computed.startswith(printed.rstrip("."))


def _count(
    name: str,
    key: str,
    item: Mapping[str, Any] | None,
    row: Mapping[str, Any] | None,
) -> tuple[Cell | str, Cell | str]:
    printed = None if row is None else Decimal(row[key])
    text = "" if printed is None else f"{printed:,}"
    quoted = None
    if printed is not None:
        quoted = Cell(PUBLISHED, key, name, value=float(printed), exact=text, state=PUBLISHED)
    if item is None:
        return ABSENT, quoted or ABSENT
    digits = _decimals(key, printed)
    computed = Cell(
        "computed",
        key,
        name,
        value=item[key],
        n=item["graphs"],
        over="graphs",
        exact=f"{item[key]:,.{digits}f}",
        reference=quoted,
        source=f"data {item['fingerprint']}",
        note=row["note"] if row and key in _changed(item, row) and "note" in row else "",
    )
    return computed, quoted or ABSENT


def _decimals(key: str, printed: Decimal | None) -> int:
    if key == "graphs":
        return 0
    return 2 if printed is None else len(str(printed).partition(".")[2])


def _task(item: Mapping[str, Any]) -> str:
    """The task in the paper's words; several tasks are counted."""
    if item["task"] == "regression":
        return "Regression"
    if item["task"] == "multilabel":
        tasks = f" ({item['outputs']} tasks)" if item["outputs"] > 1 else ""
        return f"Binary classi.{tasks}"
    return "Binary classi." if item["outputs"] == 2 else f"{item['outputs']}-way classi."


def differences(item: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """List what the paper prints differently, such as ``graphs +1``; ``none`` alone if nothing."""
    found = [f"{key} {change:+}" for key, change in _changed(item, row).items()]
    found += [name for key, name in FLAGS.items() if item[key] != row[key]]
    if not _same(_task(item), row["task"]):
        found.append("task")
    return found or ["none"]


def _changed(item: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Decimal]:
    """Counts that differ after rounding to the printed digits, and by how much."""
    changes = {}
    for key in COUNTS:
        printed = Decimal(row[key])
        changes[key] = Decimal(f"{item[key]:.{_decimals(key, printed)}f}") - printed
    return {key: change for key, change in changes.items() if change}
