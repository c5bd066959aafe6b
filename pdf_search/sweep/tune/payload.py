"""The messages between a worker and the driver: flat dictionaries with JSON text inside.

Ray flattens nested results and treats ``/`` in keys specially, but leaves text as it is.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from math import nan
from typing import Any

from pdf_search.records import EpochReport, ReplicateEpoch, State, TrialOutcome

NUMBER = "number"  # of the trial, within its phase
TRIAL = "trial"  # configuration, as JSON
RESUME = "resume"  # checkpoint folder to continue from, or ""
DATA = "data"  # name of the data set, where there are several
LEFT = "left"  # seconds of the run that are left when the trial is given out
EPOCH = "epoch"
VALID = "valid"
REPORT = "report"
DEVICE = "device"
END = "end"


def pack_epoch(report: EpochReport, device: str) -> dict[str, Any]:
    """An epoch as a result for Ray; a missing validation value is nan for the scheduler."""
    valid = report.valid
    return {
        EPOCH: report.epoch,
        VALID: nan if valid is None else valid,
        REPORT: json.dumps(epoch_tree(report)),
        DEVICE: device,
    }


def unpack_epoch(result: dict[str, Any]) -> EpochReport | None:
    """The epoch in a worker's result; None if it has none."""
    if REPORT not in result:
        return None
    return epoch_report(json.loads(result[REPORT]))


def epoch_tree(report: EpochReport) -> dict[str, Any]:
    """An epoch as plain data."""
    return asdict(report)


def epoch_report(tree: dict[str, Any]) -> EpochReport:
    """The epoch of plain data."""
    replicates = tuple(ReplicateEpoch(**item) for item in tree["replicates"])
    return EpochReport(**(tree | {"replicates": replicates}))


def pack_end(outcome: TrialOutcome) -> dict[str, Any]:
    """The outcome of a trial as a worker's last result for Ray."""
    return {END: json.dumps(asdict(outcome))}


def unpack_end(result: dict[str, Any]) -> TrialOutcome | None:
    """The outcome in a worker's result; None while the trial runs."""
    if END not in result:
        return None
    tree = json.loads(result[END])
    return TrialOutcome(**(tree | {"state": State(tree["state"])}))
