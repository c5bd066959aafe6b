"""Which numbers of a column are marked best and second."""

from __future__ import annotations

from collections.abc import Sequence

from pdf_search.records import Metric
from reports.grid.cell import Cell
from reports.grid.plain_table import BEST, SECOND


def marks(metric: Metric, rivals: Sequence[Cell]) -> list[str]:
    """``best``, ``second`` or empty for each, among those that can be compared.

    Only cells of kind ``ours`` and ``published`` take part. Without a whole
    number of ours, or with fewer than two to compare, none is marked.
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
    """Whole ones of the protocol, training set and length of our first, of ours those of most
    runs. Runs ``cut`` short are compared with each other alone, as are those on fewer graphs.
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
