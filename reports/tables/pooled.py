"""Pooling the confirmations that several runs made of one configuration into one trial."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import nan
from typing import Any

from pdf_search.config import parse_trial
from pdf_search.errors import ConfigError
from pdf_search.records import EpochReport, Replicate, ReplicateEpoch, State, SweepRecord
from pdf_search.records import TrialRecord as Trial
from pdf_search.results import planned_epochs

Run = tuple[Trial, Sequence[EpochReport]]
INCIDENTAL = ("seeds", "device", "engine", "stop_epoch")  # planned epochs replace the last
NOTHING = ReplicateEpoch(nan)


def pooled_runs(sweep: SweepRecord, runs: Iterable[Run]) -> list[Run]:
    """Pool runs of the same origin, configuration and planned epochs over all their replicates.

    Only runs of origin ``confirm of N`` or ``study: ROW`` are pooled; any other stays as it is. A
    replicate that was trained twice counts once. Its values are from the first COMPLETE run that
    has it or, if none has, from the first run. If any run of a group is COMPLETE, the unfinished
    ones give no values: they only make the result partial. The order is that of the first run of
    each group.
    """
    groups: dict[str, list[Run]] = {}
    for trial, epochs in runs:
        groups.setdefault(_key(sweep, trial), []).append((trial, epochs))
    return [_pooled(group) for group in groups.values()]


def pooled_together(sweep: SweepRecord, one: Trial, other: Trial) -> bool:
    """Whether two confirmed trials are runs that ``pooled_runs`` makes one of."""
    return _key(sweep, one) == _key(sweep, other)


def _key(sweep: SweepRecord, trial: Trial) -> str:
    if not trial.origin.startswith(("confirm of ", "study: ")):
        return f"{trial.number}"
    return json.dumps(
        [trial.origin, planned_epochs(sweep, trial), _settings(trial.config)], sort_keys=True
    )


def _settings(config: dict[str, Any]) -> dict[str, Any]:
    """The settings on which the numbers depend, without the ``INCIDENTAL`` ones.

    Keys that an older version did not record get their defaults. A configuration that a newer
    version recorded, and that is not valid here, is taken as it is.
    """
    try:
        whole = parse_trial(config, "recorded trial").model_dump(mode="json")
    except ConfigError:  # recorded by a newer version
        whole = config
    return {key: value for key, value in whole.items() if key not in INCIDENTAL}


def _pooled(runs: Sequence[Run]) -> Run:
    if len(runs) == 1:
        return runs[0]
    owners = _owners(runs)
    used = [run for run in runs if any(owner[0] is run for owner in owners.values())]
    trials = [trial for trial, _ in used]
    state = next((t.state for t in trials if t.state is not State.COMPLETE), State.COMPLETE)
    pooled = replace(
        trials[0],
        state=state,
        replicates=tuple(owners),
        config=_with_seeds(trials[0].config, owners),
        message="; ".join(dict.fromkeys(t.message for t in trials if t.message)),
        epochs_done=max(t.epochs_done for t in trials),
        by_target=_by_target(list(owners.values())),
        importance=_importance(list(owners.values())),
    )
    return pooled, _epochs(list(owners.values()))


def _by_target(owners: Sequence[tuple[Run, int]]) -> dict[str, dict[str, list[list[Any]]]] | None:
    """Values of each target by replicate, for the parts that all runs recorded; None if none."""
    found = [(trial.by_target or {}, place) for (trial, _), place in owners]
    parts = set.intersection(*(set(values) for values, _ in found))
    return {
        part: {key: [run[part][key][place] for run, place in found] for key in ("values", "n")}
        for part in sorted(parts)
    } or None


def _importance(owners: Sequence[tuple[Run, int]]) -> dict[str, Any] | None:
    """What the runs measured of each (eps, k), over all replicates; None if one has nothing."""
    found = [(trial.importance, place) for (trial, _), place in owners]
    if any(tree is None for tree, _ in found):
        return None
    rows = [tree["replicates"][place] for tree, place in found if tree is not None]
    return {**(found[0][0] or {}), "replicates": rows}


def _owners(runs: Sequence[Run]) -> dict[Replicate, tuple[Run, int]]:
    """For each replicate, the run that its values are from and its index in that run.

    Replicates are ordered by seed, then fold.
    """
    first_complete = sorted(runs, key=lambda run: run[0].state is not State.COMPLETE)
    owners: dict[Replicate, tuple[Run, int]] = {}
    for run in first_complete:
        for place, replicate in enumerate(run[0].replicates):
            owners.setdefault(replicate, (run, place))
    return dict(sorted(owners.items(), key=lambda item: (item[0].seed, item[0].fold or 0)))


def _with_seeds(config: dict[str, Any], replicates: Iterable[Replicate]) -> dict[str, Any]:
    return config | {"seeds": list(dict.fromkeys(replicate.seed for replicate in replicates))}


def _epochs(owners: Sequence[tuple[Run, int]]) -> list[EpochReport]:
    whole = any(trial.state is State.COMPLETE for (trial, _), _ in owners)
    columns = [
        ({} if whole and trial.state is not State.COMPLETE else {e.epoch: e for e in epochs}, place)
        for (trial, epochs), place in owners
    ]
    numbers = sorted({epoch for column, _ in columns for epoch in column})
    return [_epoch(columns, number) for number in numbers]


def _epoch(columns: Sequence[tuple[dict[int, EpochReport], int]], number: int) -> EpochReport:
    found = [(column.get(number), place) for column, place in columns]
    members = tuple(
        NOTHING if report is None or place >= len(report.replicates) else report.replicates[place]
        for report, place in found
    )
    reports = list({id(report): report for report, _ in found if report is not None}.values())
    measured = [report.part_seconds for report in reports]
    parts = measured[0] if all(measured) else {}
    return EpochReport(
        epoch=number,
        learning_rate=reports[0].learning_rate,
        replicates=members,
        seconds=sum(report.seconds for report in reports),
        peak_mb=max(report.peak_mb for report in reports),
        part_seconds={part: sum(m.get(part, 0.0) for m in measured) for part in parts},
    )
