"""Cells of trials and of published rows, made from their records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pdf_search.records import METRICS
from pdf_search.results import Stat
from reports.entry import Entry
from reports.grid.cell import COMPLETE, PARTIAL, PUBLISHED, Cell
from reports.grid.numbers import format_count, scaled, unit_of
from reports.published_numbers import Published
from reports.sweep_data import SweepData

NO_COUNT = "NA"  # what the paper prints for an unknown parameter count


def metric_cell(
    data: SweepData, entry: Entry, split: str, values: Iterable[float | None], **facts: Any
) -> Cell:
    """Make a cell with the mean and spread of a trial's metric over its replicates.

    ``values`` are as recorded, one per replicate; those that are None or not finite are left out.
    ``facts`` override fields of the cell. A baseline predictor that is the same for every seed has
    no spread.
    """
    stat = Stat.of(values)
    known = {
        "split": split,
        "value": scaled(stat.mean, data.metric),
        "spread": scaled(entry.spread_of(stat), data.metric),
        "n": stat.n,
        "over": over([entry]),
        "unit": unit_of(data.metric, data.unit),
    }
    return entry_cell(data, entry, f"{split} {data.sweep.metric}", **known | facts)


def entry_cell(data: SweepData, entry: Entry, quantity: str, **facts: Any) -> Cell:
    """Make a cell with the facts that all numbers of a trial share: setting, state, seeds, epochs.

    ``facts`` set the value and other fields, or override the shared ones.
    """
    summary, trial = entry.summary, entry.trial
    known: dict[str, Any] = {
        "kind": "ours",
        "dataset": data.title,
        "protocol": summary.protocol.value,
        "parameters": trial.parameters,
        "parameters_text": format_count(trial.parameters),
        "state": PARTIAL if summary.partial else COMPLETE,
        "why": ", ".join(summary.reasons),
        "seeds": seeds_text(entry),
        "epochs": epochs_text(entry),
        "train_fraction": entry.train_fraction,
        "cut": entry.cut is not None,
    }
    return Cell(quantity=quantity, **known | facts)


def published_cell(dataset: str, row: Published, split: str = "test", **facts: Any) -> Cell:
    """Make a cell of a published number as printed in its source; ``facts`` override fields."""
    valid = split == "valid"
    texts = (row.valid_text, row.valid_spread_text) if valid else (row.text, row.spread_text)
    known: dict[str, Any] = {
        "kind": PUBLISHED,
        "quantity": f"{split} {row.metric}",
        "dataset": dataset,
        "split": split,
        "value": row.valid if valid else row.value,
        "spread": row.valid_spread if valid else row.spread,
        "exact": " ± ".join(filter(None, texts)),
        "unit": unit_of(METRICS[row.metric]),
        "protocol": row.protocol,
        "parameters": row.parameter_count,
        "parameters_text": row.parameters or NO_COUNT,
        "state": PUBLISHED,
        "source": row.source,
        "note": row.note,
    }
    return Cell(**known | facts)


def shortened(entry: Entry) -> list[str]:
    """Notes on what a run leaves out of its setting: epochs, or graphs of the training part."""
    found = []
    if entry.cut is not None:
        found.append("cut after {} of {} epochs".format(*entry.cut))
    if entry.train_fraction < 1:
        found.append(f"trained on {entry.train_fraction:.3g} of the training part")
    return found


def over(entries: Iterable[Entry]) -> str:
    """What n counts in these trials: seeds, folds, or both."""
    replicates = [replicate for entry in entries for replicate in entry.trial.replicates]
    if all(replicate.fold is None for replicate in replicates):
        return "seeds"
    several = len({replicate.seed for replicate in replicates}) > 1
    return "folds and seeds" if several else "folds"


def seeds_text(entry: Entry) -> str:
    """Which replicates have a value: ``seeds 0, 1``, ``folds 0-9 of seed 0``."""
    values = entry.summary.test if entry.summary.split == "test" else entry.summary.valid
    found = [
        replicate
        for replicate, value in zip(entry.trial.replicates, values, strict=False)
        if value is not None
    ]
    seeds = list(dict.fromkeys(replicate.seed for replicate in found))
    folds = [replicate.fold for replicate in found if replicate.fold is not None]
    if not seeds:
        return ""
    text = f"{'seed' if len(seeds) == 1 else 'seeds'} {_listed(seeds)}"
    return f"folds {_listed(sorted(set(folds)))} of {text}" if folds else text


def epochs_text(entry: Entry) -> str:
    """Epochs done, and planned by the setting: ``351 of 351``."""
    planned = entry.cut[1] if entry.cut else entry.summary.epochs_planned
    return f"{entry.summary.epochs} of {planned}"


def _listed(numbers: list[int]) -> str:
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(map(str, numbers))
