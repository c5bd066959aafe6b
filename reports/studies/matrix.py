"""Methods as rows, data sets as columns: the paper's result tables, with our rows below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pdf_search.records import Protocol
from reports.cell import Cell
from reports.grid import ABSENT, Grid, Line, marked
from reports.published import Published, published
from reports.studies.cells import last_epoch_cell, published_cell, score_cell, upper_bound_cell
from reports.studies.data import Run, Study, title_of
from reports.studies.notes import study_notes
from reports.sweep_data import SweepData

ARROWS = {"min": "↓", "max": "↑"}
RULES: tuple[tuple[str, str, Callable[[Run], Cell]], ...] = (
    ("ours", "", score_cell),
    ("aside", ", last epoch", last_epoch_cell),
    ("warning", ", upper bound (not a valid estimate)", upper_bound_cell),
)


def matrix_grid(study: Study) -> Grid:
    """The table of a study of kind ``results`` or ``folds``."""
    lines = [*_published_lines(study), *_our_lines(study)]
    for column, dataset in enumerate(study.datasets):
        lines = marked(study.of_dataset(dataset)[0].metric, lines, column)
    results = study.table == "results"
    return Grid(
        key=study.name,
        title=study.title,
        corner="Method",
        columns=tuple(_header(study.of_dataset(name)[0], results) for name in study.datasets),
        lines=tuple(lines),
        notes=study_notes(study, lines),
        partial=study.partial,
        notices=study.notices(),
        subscripts=results,
    )


def _header(part: SweepData, counts: bool) -> str:
    metric = part.metric
    return f"{title_of(part)} {metric.label}{ARROWS[metric.mode]}" + (" #para" * counts)


def _published_lines(study: Study) -> list[Line]:
    parts = [study.of_dataset(dataset)[0] for dataset in study.datasets]
    columns = [
        {row.method: row for row in published(part.sweep.dataset, part.sweep.metric)}
        for part in parts
    ]
    return [
        Line(
            name=f"{method} (paper)" if method == "PDF" else method,
            cells=tuple(_quoted(p, c.get(method)) for p, c in zip(parts, columns, strict=True)),
            kind="published",
            section="published",
        )
        for method in merged(columns)
    ]


def _quoted(part: SweepData, row: Published | None) -> Cell | str:
    return ABSENT if row is None else published_cell(part, row)


def merged(columns: Iterable[Iterable[str]]) -> list[str]:
    """One order for lists that are each a part of it."""
    order: list[str] = []
    for column in columns:
        place = 0
        for name in column:
            if name in order:
                place = order.index(name) + 1
            else:
                order.insert(place, name)
                place += 1
    return order


def _our_lines(study: Study) -> list[Line]:
    runs = list(study.runs())
    several = len({run.protocol for run in runs}) > 1 or study.table == "folds"
    lines = []
    for name in dict.fromkeys(run.name for run in runs):
        for protocol in dict.fromkeys(run.protocol for run in runs):
            own = [run for run in runs if (run.name, run.protocol) == (name, protocol)]
            label = f"{name}, ours" + (f", {protocol.value}" if several else "")
            lines += _protocol_lines(study, own, label, protocol)
    return lines


def _protocol_lines(
    study: Study, runs: Sequence[Run], label: str, protocol: Protocol
) -> list[Line]:
    by_dataset = {run.part.sweep.dataset: run for run in runs}
    rules = RULES if protocol is Protocol.GIN_CURVE else RULES[:1]
    return [
        Line(
            name=label + suffix,
            cells=tuple(
                cell(by_dataset[name]) if name in by_dataset else ABSENT for name in study.datasets
            ),
            kind=kind,
            section="ours",
        )
        for kind, suffix, cell in rules
        if runs
    ]
