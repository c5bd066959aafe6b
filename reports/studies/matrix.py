"""Tables with methods as rows and data sets as columns, as in the paper, with our rows below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pdf_search.records import METRICS, Protocol
from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line, marked
from reports.grid.trial_cells import published_cell
from reports.published_numbers import printed_name, published
from reports.studies.notes import provenance, study_notes
from reports.studies.study_cells import last_epoch_cell, score_cell, upper_bound_cell
from reports.studies.study_data import Run, Study
from reports.sweep_data import SweepData

Columns = Mapping[str, str]
TU_SETS = "mutag nci1 nci109 enzymes ptc_mr proteins imdb-binary reddit-binary"
PAPERS_COLUMNS: dict[str, Columns] = {
    "results": {"zinc": "mae", "ogbg-molpcba": "ap", "ogbg-ppa": "accuracy"},
    "folds": dict.fromkeys(TU_SETS.split(), "accuracy"),
}
METHODS = (  # in the order of the paper's table, which the columns alone do not determine
    "GCN GIN GAT GraphS GatedG MPNN DeeperG PNA DGN GSN GINE-AP PHC-GN ExpC GT SAN Graphor KS-SAT "
    "GPS GM-Mix PDF"
)
ARROWS = {"min": "↓", "max": "↑"}
RULES: tuple[tuple[str, str, Callable[[Run], Cell]], ...] = (
    ("ours", "", score_cell),
    ("aside", ", last epoch", last_epoch_cell),
    ("warning", ", upper bound (not a valid estimate)", upper_bound_cell),
)


def matrix_grid(study: Study, columns: Columns | None = None) -> Grid:
    """Build the table of a study of kind ``results`` or ``folds``.

    ``columns`` maps each data set to its metric; by default they are those of the study.
    """
    shown = columns or {part.title: part.sweep.metric for part in study.parts}
    results = study.table == "results"
    lines = [*_published_lines(shown, results), *_our_lines(study, tuple(shown))]
    for column, metric in enumerate(shown.values()):
        lines = marked(METRICS[metric], lines, column)
    return Grid(
        key=study.name,
        title=study.title,
        corner="Method",
        columns=tuple(_header(name, metric, results) for name, metric in shown.items()),
        lines=tuple(lines),
        notes=study_notes(study, lines),
        provenance=provenance(study),
        partial=study.partial,
        notices=study.notices(),
        subscripts=results,
    )


def papers_grid(table: str, title: str, studies: Sequence[Study]) -> Grid:
    """Build a table of the paper with all its columns and the rows of several studies."""
    columns = PAPERS_COLUMNS[table]
    found = [part for study in studies for part in study.parts if _has_column(columns, part)]
    missing = tuple(name for study in studies for name in study.missing)
    return matrix_grid(Study(table, title, table, tuple(found), missing), columns)


def parts_left_out(table: str, study: Study) -> str:
    """Say which data sets of a study have no column in a table of the paper; "" if all have one."""
    columns = PAPERS_COLUMNS[table]
    others = [p for p in study.parts if not _has_column(columns, p)]
    if not others:
        return ""
    shown = dict.fromkeys(f"{part.title} ({part.metric.label})" for part in others)
    there = ", ".join(f"{name} ({METRICS[metric].label})" for name, metric in columns.items())
    return (
        f"of {study.name} not in the table: {', '.join(shown)}. Its columns are the paper's, "
        f"{there}; `pdf-search report {study.name}` has the study's own table"
    )


def _has_column(columns: Columns, part: SweepData) -> bool:
    return columns.get(part.title) == part.sweep.metric


def _header(dataset: str, metric: str, counts: bool) -> str:
    found = METRICS[metric]
    return f"{printed_name(dataset)} {found.label}{ARROWS[found.mode]}" + (" #para" * counts)


def _published_lines(columns: Columns, results: bool) -> list[Line]:
    by_method = {
        name: {row.method: row for row in published(name, metric)}
        for name, metric in columns.items()
    }
    return [
        Line(
            name=f"{method} (paper)" if method == "PDF" else method,
            cells=tuple(
                published_cell(name, rows[method]) if method in rows else ABSENT
                for name, rows in by_method.items()
            ),
            kind="published",
            section="published",
        )
        for method in merged([*([METHODS.split()] if results else []), *by_method.values()])
        if any(method in rows for rows in by_method.values())
    ]


def merged(columns: Iterable[Iterable[str]]) -> list[str]:
    """Merge lists of names whose orders do not conflict into one list in that order."""
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


def _our_lines(study: Study, datasets: Sequence[str]) -> list[Line]:
    runs = list(study.runs())
    several = len({run.protocol for run in runs}) > 1 or study.table == "folds"
    lines = []
    for name in dict.fromkeys(run.name for run in runs):
        for protocol in dict.fromkeys(run.protocol for run in runs):
            own = [run for run in runs if (run.name, run.protocol) == (name, protocol)]
            label = f"{name}, ours" + (f", {protocol.value}" if several else "")
            for row in _by_dataset(own):
                lines += _protocol_lines(datasets, row, label, protocol)
    return lines


def _by_dataset(runs: Iterable[Run]) -> list[dict[str, Run]]:
    """Distribute runs over lines, each with at most one run per data set.

    Runs of several studies on one data set take several lines.
    """
    lines: list[dict[str, Run]] = []
    for run in runs:
        free = (line for line in lines if run.part.title not in line)
        line = next(free, None)
        if line is None:
            lines.append(line := {})
        line[run.part.title] = run
    return lines


def _protocol_lines(
    datasets: Sequence[str], runs: Mapping[str, Run], label: str, protocol: Protocol
) -> list[Line]:
    rules = RULES if protocol is Protocol.GIN_CURVE else RULES[:1]
    return [
        Line(
            name=label + suffix,
            cells=tuple(cell(runs[name]) if name in runs else ABSENT for name in datasets),
            kind=kind,
            section="ours",
        )
        for kind, suffix, cell in rules
    ]
