"""Published numbers of a data set from ``baselines/*.toml``, exactly as printed there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "baselines"
MULTIPLES = {"k": 1_000, "m": 1_000_000}
AS_QUOTED = "as quoted"  # the source quotes other papers, whose protocols differ


@dataclass(frozen=True)
class Published:
    """One published number; ``text`` and ``spread_text`` keep the digits of the source.

    ``value`` is in the printed unit, percent for accuracy, ROC-AUC and AP. ``valid`` is the
    validation value, if the source prints one.
    """

    dataset: str
    metric: str
    method: str
    value: float
    spread: float | None
    text: str
    spread_text: str
    parameters: str
    protocol: str
    source: str
    note: str
    valid: float | None
    valid_spread: float | None
    valid_text: str
    valid_spread_text: str

    @property
    def parameter_count(self) -> int | None:
        """The parameter count as a number: 505000 for ``505k``; None if the source gives none."""
        if not self.parameters:
            return None
        return int(Decimal(self.parameters[:-1]) * MULTIPLES[self.parameters[-1]])


def published(dataset: str, metric: str, table: str = "results") -> list[Published]:
    """The checked rows of a data set and metric, in the order of their table; empty if none.

    ``table`` is ``results`` (comparison with other methods) or ``ablation``.
    """
    name = _folded(dataset)
    return [
        row
        for tree in checked_files(table)
        if name in map(_folded, tree["names"]) and tree.get("metric") == metric
        for row in _rows(tree)
    ]


def printed_name(dataset: str) -> str:
    """Name of a data set as the paper prints it; ``dataset`` itself if the paper has none."""
    name = _folded(dataset)
    known = (tree["dataset"] for tree in checked_files() if name in map(_folded, tree["names"]))
    return next(known, dataset)


def checked_files(table: str = "results") -> list[dict[str, Any]]:
    """Files of one kind of table whose numbers were compared with their source.

    A file says ``checked = true`` once a test compares each of its numbers with the source's text.
    Other files are never printed.
    """
    files = (tree for tree in read_files() if tree.get("checked") is True)
    return [tree for tree in files if tree.get("table", "results") == table]


@cache
def read_files() -> tuple[dict[str, Any], ...]:
    """Read every file, checked or not, once.

    Numbers with a decimal point are Decimal, so that they keep their digits.
    """
    return tuple(
        tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        for path in sorted(FOLDER.glob("*.toml"))
    )


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")


def _rows(tree: dict[str, Any]) -> Iterator[Published]:
    for row in tree["rows"]:
        yield Published(
            dataset=tree["dataset"],
            metric=tree["metric"],
            method=row["method"],
            value=float(row["value"]),
            spread=_number(row.get("spread")),
            text=str(row["value"]),
            spread_text=str(row.get("spread", "")),
            parameters=row.get("parameters", ""),
            protocol=row["protocol"],
            source=row["source"],
            note=row.get("note", ""),
            valid=_number(row.get("valid")),
            valid_spread=_number(row.get("valid_spread")),
            valid_text=str(row.get("valid", "")),
            valid_spread_text=str(row.get("valid_spread", "")),
        )


def _number(value: Decimal | int | None) -> float | None:
    return None if value is None else float(value)
