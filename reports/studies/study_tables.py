"""Choosing the tables that a kind of study has."""

from __future__ import annotations

from reports.grid.grid import Grid
from reports.studies.ablation import ablation_grid
from reports.studies.comparison import comparison_grid
from reports.studies.matrix import matrix_grid
from reports.studies.notes import quotes
from reports.studies.study_data import Study, title_of
from reports.studies.timing import timing_grids
from reports.tables.complexity import Memory, complexity_grid
from reports.tables.target_table import target_grid


def study_grids(study: Study) -> list[Grid]:
    """The paper's table, then the tables that belong to it; empty before any part has begun."""
    if not study.parts:
        return []
    if study.table == "ablation":
        return [ablation_grid(study)]
    if study.table == "timing":
        times = timing_grids(study)
        complexity = complexity_grid(f"{study.name}/complexity", memories(study))
        ours = any(True for _ in complexity.numbers())
        beside = ours or any(quotes(grid.lines) for grid in times)
        return [*times, *([complexity] if beside else [])]
    targets = [grid for part in study.parts if (grid := target_grid(part))]
    return [matrix_grid(study), comparison_grid(study), *targets]


def memories(study: Study) -> list[Memory]:
    """The peak memory of every run that recorded it."""
    return [
        Memory(
            method=run.name,
            dataset=run.part.title,
            title=title_of(run.part),
            peak_mb=run.entry.trial.peak_mb,
            replicates=len(run.entry.trial.replicates),
            parameters=run.entry.trial.parameters,
            device=run.entry.trial.device,
            partial=", ".join(run.entry.summary.reasons),
            source=f"study part {run.part.sweep.name}",
        )
        for run in study.runs()
        if run.entry.trial.peak_mb is not None
    ]
