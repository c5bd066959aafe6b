"""A table with each of our numbers on a line of its own, beside the published one it repeats."""

from __future__ import annotations

from dataclasses import replace

from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line, without_columns
from reports.grid.trial_cells import published_cell
from reports.studies.notes import ALONE, COMPARISON, quotes
from reports.studies.study_cells import score_cell
from reports.studies.study_data import Run, Study, title_of


def comparison_grid(study: Study) -> Grid:
    """Build the table: protocol, n, parameters, state and difference of every run.

    Where no run repeats a published row, it has no columns for these.
    """
    lines = tuple(_comparison(run, score_cell(run)) for run in study.runs())
    quoted = quotes(lines)
    beside = " beside the published rows that they repeat" if quoted else ""
    grid = Grid(
        key=f"{study.name}/comparison",
        title=f"{study.title}: our runs{beside}",
        corner="Row",
        columns=(
            "data set",
            "protocol",
            "ours (test)",
            "n",
            "parameters",
            "runs",
            "epochs",
            "published",
            "difference",
            "state",
        ),
        lines=lines,
        notes=COMPARISON if quoted else ALONE,
        partial=study.partial,
        notices=study.notices(),
    )
    return grid if quoted else without_columns(grid, ("published", "difference"))


def _comparison(run: Run, cell: Cell) -> Line:
    part, row = run.part, run.published
    quoted = ABSENT if row is None else published_cell(part.title, row, note="")
    texts = [cell.parameters_text, cell.seeds or ABSENT, cell.epochs]
    return Line(
        name=run.name,
        cells=(
            title_of(part),
            cell.protocol,
            replace(cell, note=""),
            f"{cell.n} {cell.over}",
            *texts,
            quoted,
            cell.difference_text,
            cell.state,
        ),
    )
