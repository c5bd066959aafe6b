"""The ablation table: our validation and test values beside the published ones."""

from __future__ import annotations

import re

from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line, marked, without_columns
from reports.grid.trial_cells import published_cell
from reports.published_numbers import Published, published
from reports.studies.notes import COMPARISON, provenance, quotes, study_notes
from reports.studies.study_cells import score_cell, valid_cell
from reports.studies.study_data import Run, Study, title_of
from reports.sweep_data import SweepData

ARCHITECTURE = re.compile(r"(shd|idp)[-+ ]\s*(.+)")
PAPERS_COUNT = "The paper says that its five cases share 499681 learnable parameters."
VALID, TEST = 0, 1  # columns that hold our values


def ablation_grid(study: Study) -> Grid:
    """Build the table: rows in the study's order, then published rows that the study leaves out.

    Where nothing is published on the study's data, it has no columns for that.
    """
    lines = [line for part in study.parts for line in _lines(study, part)]
    metric = study.parts[0].metric
    for column in (VALID, TEST):
        lines = marked(metric, lines, column)
    label = metric.label
    quoted = quotes(lines)
    notes = dict.fromkeys((*study_notes(study, lines), *((*COMPARISON, PAPERS_COUNT) * quoted)))
    theirs = (f"paper: valid {label}", f"paper: test {label}", "difference")
    grid = Grid(
        key=study.name,
        title=study.title,
        corner="Case",
        columns=(
            f"valid {label}",
            f"test {label}",
            "n",
            "parameters",
            *theirs,
            "state",
        ),
        lines=tuple(lines),
        notes=tuple(notes),
        provenance=provenance(study),
        partial=study.partial,
        notices=study.notices(),
    )
    return grid if quoted else without_columns(grid, theirs)


def _lines(study: Study, part: SweepData) -> list[Line]:
    runs = [run for run in study.runs() if run.part is part]
    lines = [_line(study, run.name, part, run, run.published) for run in runs]
    rows = published(part.sweep.dataset, part.sweep.metric, "ablation")
    repeated = {run.published for run in runs}
    rest = [row for row in rows if row not in repeated]
    return lines + [_line(study, row.method, part, None, row) for row in rest]


def _line(study: Study, name: str, part: SweepData, run: Run | None, row: Published | None) -> Line:
    group, case = split_name(name)
    where = f"{title_of(part)}, {part.sweep.protocol.value}" if len(study.parts) > 1 else ""
    group = ", ".join(filter(None, (group, where)))
    return Line(
        case, (*_ours(run), *_theirs(part, row), *_verdict(run)), section=group, group=group
    )


def split_name(name: str) -> tuple[str, str]:
    """Split a row's name into architecture and case.

    ``shd-((eps, k), 2L)`` gives ``shd`` and ``((eps, k), 2L)``; a name of another form has no
    architecture.
    """
    found = ARCHITECTURE.fullmatch(name)
    return (found.group(1), found.group(2)) if found else ("", name)


def _ours(run: Run | None) -> tuple[Cell | str, ...]:
    if run is None:
        return (ABSENT,) * 4
    cell = score_cell(run)
    n = f"{cell.n} ({cell.seeds})" if cell.n else "0"
    return valid_cell(run), cell, n, cell.parameters_text


def _theirs(part: SweepData, row: Published | None) -> tuple[Cell | str, ...]:
    if row is None:
        return ABSENT, ABSENT
    valid = ABSENT if row.valid is None else published_cell(part.title, row, "valid")
    return valid, published_cell(part.title, row)


def _verdict(run: Run | None) -> tuple[str, str]:
    if run is None:
        return ABSENT, "not in this study"
    cell = score_cell(run)
    return cell.difference_text, cell.state
