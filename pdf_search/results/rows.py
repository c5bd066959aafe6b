"""Converts records to the rows of our tables and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from math import isfinite
from typing import Any

from pdf_search.records import (
    EpochReport,
    Phase,
    Protocol,
    Replicate,
    ReplicateEpoch,
    State,
    SweepRecord,
    TrialRecord,
)

Row = Mapping[Any, Any]
LISTED = "listed"  # search method of a sweep whose trials are the rows of a study
REPORT_FIELDS = ("learning_rate", "seconds", "peak_mb")
REPLICATE_FIELDS = ("train_loss", "valid", "test")


def sweep_row(sweep: SweepRecord) -> dict[str, Any]:
    """The row of ``pdf_sweep`` for a sweep, without ``id``."""
    return asdict(sweep)


def sweep_record(row: Row) -> SweepRecord:
    """The sweep of a row of ``pdf_sweep``; older names of methods are brought up to date."""
    values = {key: value for key, value in row.items() if key != "id"}
    method = LISTED if row["method"] == "study" else row["method"]  # as older versions call it
    return SweepRecord(**{**values, "protocol": Protocol(row["protocol"]), "method": method})


def trial_row(trial: TrialRecord) -> dict[str, Any]:
    """The row of ``pdf_trial`` for a trial, without ``id`` and ``sweep_id``."""
    values = asdict(trial)
    del values["sweep"], values["replicates"]
    return values


def replicate_rows(trial: TrialRecord, trial_id: int) -> list[dict[str, Any]]:
    """The rows of ``pdf_replicate`` for a trial, one per replicate, in order."""
    return [
        {"trial_id": trial_id, "replicate": index, "seed": item.seed, "fold": item.fold}
        for index, item in enumerate(trial.replicates)
    ]


def trial_record(row: Row, sweep: str, replicates: Iterable[Row]) -> TrialRecord:
    """The trial of a row of ``pdf_trial`` and its rows of ``pdf_replicate``, which are in order.

    ``sweep``: name of the trial's sweep, which the row holds by number only.
    """
    values = {key: value for key, value in row.items() if key not in ("id", "sweep_id")}
    values |= {"phase": Phase(row["phase"]), "state": State(row["state"])}
    members = tuple(Replicate(item["seed"], item["fold"]) for item in replicates)
    return TrialRecord(sweep=sweep, replicates=members, **values)


def epoch_rows(report: EpochReport, trial_id: int) -> list[dict[str, Any]]:
    """The rows of ``pdf_epoch`` for one epoch of a trial, one per replicate.

    A number that is not finite is stored as NULL and named in ``not_finite``.
    """
    rows = []
    for index, item in enumerate(report.replicates):
        numbers = {name: getattr(item, name) for name in REPLICATE_FIELDS}
        numbers |= {name: getattr(report, name) for name in REPORT_FIELDS}
        odd = {key: v for key, v in numbers.items() if v is not None and not isfinite(v)}
        row = {"trial_id": trial_id, "epoch": report.epoch, "replicate": index, **numbers}
        row |= dict.fromkeys(odd) | {"part_seconds": report.part_seconds}
        rows.append(row | {"not_finite": " ".join(f"{key}={v}" for key, v in odd.items())})
    return rows


def epoch_reports(rows: Sequence[Row]) -> list[EpochReport]:
    """The reports of one trial from its rows of ``pdf_epoch``, ordered by epoch and replicate."""
    groups = groupby(map(_restored, rows), key=lambda row: row["epoch"])
    return [_epoch_report(epoch, list(group)) for epoch, group in groups]


def _restored(row: Row) -> Row:
    if not row["not_finite"]:
        return row
    odd = (item.split("=") for item in row["not_finite"].split())
    return {**row, **{key: float(value) for key, value in odd}}


def _epoch_report(epoch: int, rows: list[Row]) -> EpochReport:
    replicates = tuple(ReplicateEpoch(*(row[name] for name in REPLICATE_FIELDS)) for row in rows)
    shared = {name: rows[0][name] for name in REPORT_FIELDS}
    parts = rows[0]["part_seconds"] or {}
    return EpochReport(epoch=epoch, replicates=replicates, **shared, part_seconds=parts)
