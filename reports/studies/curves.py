"""The paper's figures as plain numbers: curves by architecture, and accuracy over folds."""

from __future__ import annotations

from collections.abc import Sequence

from reports.grid.numbers import scaled
from reports.pages.curves import PARTS, Curve, CurveFigure, Panel, curve_of, part_title
from reports.studies.ablation import split_name
from reports.studies.study_data import Run, Study, title_of
from reports.sweep_data import SweepData

SPREAD = "Mean over replicates; the band is one population standard deviation (ddof 0)."

FOLDS = (
    "Thin lines are folds, the thick one their mean with one population standard deviation (ddof "
    "0). Dots are the values that the table reports; the vertical line is the epoch, where one is "
    "chosen for all folds."
)


def study_figures(study: Study) -> list[CurveFigure]:
    """The figures of a study; empty before any epoch.

    A study of kind ``folds`` has one figure of the accuracy over folds. Kind ``timing`` has none.
    Any other kind has the learning curves of each part.
    """
    if study.table == "timing":
        return []
    if study.table == "folds":
        figures = [_folds(study)]
    else:
        figures = [_learning(study, part) for part in study.parts]
    return [figure for figure in figures if figure.rows]


def _learning(study: Study, part: SweepData) -> CurveFigure:
    runs = [run for run in study.runs() if run.part is part and run.entry.epochs]
    where = f"{title_of(part)}, {part.sweep.protocol.value}"
    several = len(study.parts) > 1
    name = f"curves-{part.title}-{part.sweep.protocol.value}" if several else "curves"
    return CurveFigure(
        name=name,
        title=f"Learning curves on {where}" + (f" ({study.partial})" if study.partial else ""),
        text=SPREAD,
        rows=_learning_rows(part, runs),
    )


def _learning_rows(part: SweepData, runs: Sequence[Run]) -> tuple[tuple[Panel, ...], ...]:
    """One row of panels per part of the data, with shd and idp side by side."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(split_name(run.name)[0], []).append(run)
    rows = []
    for kind in PARTS:
        title = part_title(kind, part.metric.label)
        panels = [
            Panel(": ".join(filter(None, (group, title))), title, _curves(part, own, kind))
            for group, own in groups.items()
        ]
        if any(panel.curves for panel in panels):
            rows.append(tuple(panels))
    return tuple(rows)


def _curves(part: SweepData, runs: Sequence[Run], kind: str) -> tuple[Curve, ...]:
    found = (curve_of(part.metric, run.entry, kind, split_name(run.name)[1]) for run in runs)
    return tuple(curve for curve in found if curve is not None)


def _folds(study: Study) -> CurveFigure:
    runs = [run for run in study.runs() if run.entry.epochs]
    rows = []
    for name in study.datasets:
        panels = (_fold_panel(run) for run in runs if run.part.title == name)
        rows.append(tuple(panel for panel in panels if panel is not None))
    return CurveFigure(
        name="folds",
        title="Held-out accuracy over folds" + (f" ({study.partial})" if study.partial else ""),
        text=FOLDS,
        rows=tuple(row for row in rows if row),
    )


def _fold_panel(run: Run) -> Panel | None:
    metric, summary = run.part.metric, run.entry.summary
    mean = curve_of(metric, run.entry, "test", "mean of folds")
    if mean is None:
        return None
    values = [scaled(value, metric) for value in summary.test]
    return Panel(
        title=f"{title_of(run.part)}, {run.name}, {run.protocol.value}",
        label=f"held-out {metric.label}",
        curves=(mean,),
        thin=tuple(_fold(run, index) for index in range(len(summary.test))),
        chosen=tuple(
            (epoch, value)
            for epoch, value in zip(summary.best_epochs, values, strict=True)
            if epoch is not None and value is not None
        ),
        rule=summary.best_epoch,
    )


def _fold(run: Run, index: int) -> Curve:
    reports = [report for report in run.entry.epochs if index < len(report.replicates)]
    fold = run.entry.trial.replicates[index].fold if run.entry.trial.replicates else None
    return Curve(
        label=f"fold {index if fold is None else fold}",
        state=run.entry.trial.state.value,
        part="test",
        epochs=tuple(report.epoch for report in reports),
        mean=tuple(scaled(r.replicates[index].test, run.part.metric) for r in reports),
        std=(None,) * len(reports),
    )
