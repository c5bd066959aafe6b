"""Says whether a rerun has the numbers of the run that it repeats."""

from __future__ import annotations

from collections.abc import Sequence

from pdf_search.records import EpochReport, Metric
from pdf_search.results import Stat
from pdf_search.wording import counted


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
