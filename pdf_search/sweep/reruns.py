"""Which recorded run can be trained once more, and whether its rerun has the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pdf_search.errors import ConfigError
from pdf_search.records import EpochReport, Metric, Phase, TrialRecord
from pdf_search.results import Stat
from pdf_search.wording import counted


def run_to_repeat(records: Mapping[int, TrialRecord], number: int, phase: Phase) -> TrialRecord:
    """The record of a phase that a rerun repeats.

    Raises:
        ConfigError: there is no such trial, or it is a rerun or the baseline, which trains nothing.
    """
    rows = (row for _, row in sorted(records.items()))
    trained = {row.number: row for row in rows if not row.is_baseline and not row.is_rerun}
    if number not in trained:
        known = ", ".join(map(_listed, trained.values())) or "none"
        what = f"no trial {number} to train again in phase {phase}"
        raise ConfigError(f"{what}{_why_not(records.get(number))}; there is: {known}")
    return trained[number]


def _why_not(record: TrialRecord | None) -> str:
    """Why a record is not trained again; "" where there is none of this number."""
    if record is None:
        return ""
    if record.is_baseline:
        return ": it is the baseline, which trains nothing"
    return f": it is a {record.origin} itself"


def _listed(record: TrialRecord) -> str:
    """Its number; of a confirmation with that of the search trial, which may be what is meant."""
    origin = f" ({record.origin})" if record.phase is Phase.CONFIRM else ""
    return f"{record.number}{origin}"


def rerun_verdict(
    called: str, before: Sequence[EpochReport], again: Sequence[EpochReport], metric: Metric
) -> str:
    """Compare the curves of the run ``called`` and of its rerun; "" if they share no epoch.

    A run that was stopped early is compared as far as it came.
    """
    shared = list(zip(before, again, strict=False))
    if not shared:
        return ""
    differs = next((new.epoch for old, new in shared if _numbers(old) != _numbers(new)), None)
    if differs is None:
        epochs = counted(len(shared), "epoch")
        return f"the rerun has all numbers of {called}, to the last digit, in {epochs}"
    old, new = (_valid(report, metric) for report in shared[-1])
    values = f"validation {metric.label} {new}, before {old}, in epoch {shared[-1][1].epoch}"
    return f"the rerun differs from {called} from epoch {differs} on: {values}"


def _numbers(report: EpochReport) -> str:
    """What is measured, without times; as text, in which nan equals nan."""
    return repr([(r.train_loss, r.valid, r.test) for r in report.replicates])


def _valid(report: EpochReport, metric: Metric) -> str:
    mean = Stat.of(r.valid for r in report.replicates).mean
    return "undefined" if mean is None else f"{mean * (100 if metric.percent else 1):.6g}"
