"""Time per epoch: ours as recorded, beside the paper's printed times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pdf_search.records import EpochReport
from pdf_search.results import Stat
from reports.grid.cell import COMPLETE, NOT_STARTED, PARTIAL, PUBLISHED, Cell
from reports.grid.grid import ABSENT, Grid, Line
from reports.grid.trial_cells import entry_cell
from reports.published_numbers import checked_files
from reports.studies.notes import data_notes, provenance
from reports.studies.study_data import Run, Study, title_of
from reports.sweep_data import SweepData

PARTS = {
    "train": "training",
    "eval_train": "eval (train)",
    "eval_valid": "eval (valid)",
    "eval_test": "eval (test)",
}
WHOLE = "whole epoch"
PAPERS_EPOCHS = 50
RECORDED = {"train": "train", "eval_valid": "valid", "eval_test": "test"}  # names in the record
OF_PUBLISHED = (
    "Published times: mean ± std over 50 epochs, of training on the train set and of evaluation on "
    "each set, on {hardware}. Their whole epoch is the sum of the printed means of the same work."
)
NOTES = (
    "Ours: mean and population standard deviation (ddof 0) over epochs. The first epoch, which "
    "compiles and fills caches, is left out where there are more. Seeds of a row are trained "
    "together: the time is that of all of them.",
    "Whole epoch: training and the evaluations that a run makes, the train set not among them.",
    "Times on different hardware do not compare methods; rows of ours on one device do.",
)
WHOLE_ALONE = (
    "Rows of ours without times of the parts were recorded with one time an epoch: it cannot be "
    "compared with a single published column."
)


def timing_grids(study: Study) -> list[Grid]:
    """One table per part of the study."""
    return [_grid(study, part) for part in study.parts]


def _grid(study: Study, part: SweepData) -> Grid:
    runs = [run for run in study.runs() if run.part is part]
    theirs, ours = _published_lines(part), [_line(run) for run in runs]
    states = [cell.state for line in ours if isinstance(cell := line.cells[len(PARTS)], Cell)]
    still = [state for state in states if state != COMPLETE]
    return Grid(
        key=f"{study.name}/{part.title}",
        title=f"{study.title}: {title_of(part)}, seconds",
        corner="Model",
        columns=(*PARTS.values(), WHOLE, "epochs", "seeds together", "parameters", "device"),
        lines=(*theirs, *ours),
        notes=(*_notes(runs, bool(theirs)), *data_notes([part])),
        provenance=provenance(study),
        partial="partial" if still else "",
        notices=(f"{len(states) - len(still)} of {len(states)} rows are complete",) * bool(still),
    )


def _notes(runs: Sequence[Run], quoted: bool) -> tuple[str, ...]:
    if not quoted:
        return NOTES
    hardware = "; ".join(dict.fromkeys(tree["hardware"] for tree in checked_files("timing")))
    begun = [run for run in runs if run.entry.epochs]
    alone = any(not run.entry.epochs[-1].part_seconds for run in begun)
    return (OF_PUBLISHED.format(hardware=hardware), *NOTES, *([WHOLE_ALONE] if alone else []))


def _published_lines(part: SweepData) -> list[Line]:
    return [_quoted(part, tree, row) for tree in _published(part) for row in tree["rows"]]


def _published(part: SweepData) -> list[dict[str, Any]]:
    return [tree for tree in checked_files("timing") if part.title in tree["names"]]


def _quoted(part: SweepData, tree: dict[str, Any], row: dict[str, Any]) -> Line:
    base = Cell(
        kind=PUBLISHED,
        quantity="",
        dataset=part.title,
        n=tree["epochs"],
        over="epochs",
        unit=tree["unit"],
        state=PUBLISHED,
        source=tree["source"],
    )
    times = [_time(base, f"seconds, {name}", row.get(key)) for key, name in PARTS.items()]
    rest = (_sum(base, row), str(tree["epochs"]), ABSENT, ABSENT, tree["device"])
    return Line(f"{row['method']} (paper)", (*times, *rest), "published", "published")


def _time(base: Cell, quantity: str, pair: Sequence[Decimal] | None) -> Cell | str:
    if pair is None:
        return ABSENT
    mean, std = pair
    text = f"{mean} ± {std}"
    return replace(base, quantity=quantity, value=float(mean), spread=float(std), exact=text)


def _sum(base: Cell, row: dict[str, Any]) -> Cell:
    """Sum the printed mean times of training and of the evaluation on validation and test set.

    A time that the paper does not print is left out.
    """
    parts = [key for key in ("train", "eval_valid", "eval_test") if key in row]
    total = sum((row[key][0] for key in parts), Decimal(0))
    return replace(
        base,
        kind="computed",
        quantity="seconds, training and evaluation",
        value=float(total),
        exact=str(total),
        state=COMPLETE,
        note="sum of the printed means of " + ", ".join(PARTS[key] for key in parts),
    )


def _line(run: Run) -> Line:
    trial, epochs = run.entry.trial, timed(run.entry.epochs)
    whole = _our_time(run, "seconds, training and evaluation", [e.seconds for e in epochs])
    parts = [_part(run, epochs, key) for key in PARTS]
    rest = (str(whole.n), str(len(trial.replicates)), whole.parameters_text)
    return Line(f"{run.name}, ours", (*parts, whole, *rest, trial.device or ABSENT), "ours", "ours")


def _part(run: Run, epochs: Sequence[EpochReport], key: str) -> Cell | str:
    """Our time of one part of an epoch; an en dash if none is recorded."""
    name = RECORDED.get(key, "")
    found = [report.part_seconds[name] for report in epochs if name in report.part_seconds]
    return _our_time(run, f"seconds, {PARTS[key]}", found) if found else ABSENT


def _our_time(run: Run, quantity: str, seconds: Sequence[float]) -> Cell:
    stat = Stat.of(seconds)
    why = _why(run, stat.n)
    return entry_cell(
        run.part,
        run.entry,
        quantity,
        value=stat.mean,
        spread=stat.std,
        n=stat.n,
        over="epochs",
        unit="s",
        state=NOT_STARTED if not run.entry.epochs else PARTIAL if why else COMPLETE,
        why=why if run.entry.epochs else "",
        epochs=str(run.entry.summary.epochs),
        source=f"study part {run.part.sweep.name}",
    )


def timed(epochs: Sequence[EpochReport]) -> Sequence[EpochReport]:
    """The epochs whose time counts: all but the first, unless it is the only one."""
    return epochs[1:] if len(epochs) > 1 else epochs


def _why(run: Run, counted: int) -> str:
    """Why a time is partial; empty for a whole one.

    A run that a timing study cuts on purpose is whole once it has the paper's epochs, where the
    paper has timed its data.
    """
    reasons = list(run.entry.summary.reasons)
    if counted + 1 < PAPERS_EPOCHS and _published(run.part):
        reasons.append(f"epochs timed: {counted}, the paper's: {PAPERS_EPOCHS}")
    if run.entry.train_fraction < 1:
        reasons.append(f"trained on {run.entry.train_fraction:.3g} of the training part")
    return ", ".join(reasons)
