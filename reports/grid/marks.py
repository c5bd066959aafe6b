"""Choosing which numbers of a column are marked as best and second-best."""

from __future__ import annotations

from collections.abc import Sequence

from pdf_search.records import Metric
from reports.grid.cell import Cell
from reports.grid.plain_table import BEST, SECOND


def marks(metric: Metric, rivals: Sequence[Cell]) -> list[str]:
    """Rank the numbers that can be compared: ``best``, ``second`` or empty for each cell.

    Only complete numbers of kind ``ours`` and ``published`` are ranked; equal numbers share a mark.
    None is marked if none of them is ours, or if fewer than two can be compared.
    """
    alike = _comparable(rivals)
    found = [rival.value if i in alike else None for i, rival in enumerate(rivals)]
    values = sorted({value for value in found if value is not None})
    ranked = values if metric.mode == "min" else values[::-1]
    if len(alike) < 2:
        return [""] * len(rivals)
    names = dict(zip(ranked, (BEST, SECOND), strict=False))
    return ["" if value is None else names.get(value, "") for value in found]


def _comparable(rivals: Sequence[Cell]) -> set[int]:
    """Indices of the cells that can be compared with the first complete cell of ours.

    They are complete and have its protocol, training fraction and ``cut``. So runs that were cut
    short or trained on fewer graphs are compared only with each other. Of our cells, only those
    with the largest n are included. The set is empty if none of ours is complete.
    """
    whole = {
        i: rival
        for i, rival in enumerate(rivals)
        if rival.kind in ("ours", "published") and not rival.partial and rival.value is not None
    }
    first = next((rival for rival in whole.values() if rival.kind == "ours"), None)
    if first is None:
        return set()
    kind = (first.protocol, first.train_fraction, first.cut)
    alike = {i: r for i, r in whole.items() if (r.protocol, r.train_fraction, r.cut) == kind}
    most = max(rival.n or 0 for rival in alike.values())
    return {i for i, rival in alike.items() if rival.kind == "published" or rival.n == most}
