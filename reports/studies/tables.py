"""Which tables a kind of study has."""

from __future__ import annotations

from reports.grid import Grid
from reports.studies.ablation import ablation_grid
from reports.studies.comparison import comparison_grid
from reports.studies.data import Study
from reports.studies.matrix import matrix_grid


def study_grids(study: Study) -> list[Grid]:
    """The paper's table first, then what belongs to it; none before the first part begins."""
    if not study.parts:
        return []
    if study.table == "ablation":
        return [ablation_grid(study)]
    return [matrix_grid(study), comparison_grid(study)]
