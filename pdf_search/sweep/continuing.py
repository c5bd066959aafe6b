"""What a killed or interrupted run left behind, made whole before the next one starts.

With an empty database there is nothing to do: a fresh start is a resume of nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from pdf_search.config import parse_trial
from pdf_search.sweep.jobs import Job
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.optuna_log import StudyLog
from pdf_search.sweep.rungs import Rungs


def unfinished_jobs(
    ledger: Ledger, device: str, epoch_of: Callable[[str], int | None]
) -> list[Job]:
    """A job for each trial that has not ended, from its last whole checkpoint on.

    Epochs after the checkpoint are dropped: they are trained, reported and counted again, once.
    ``epoch_of`` reads the epoch that a checkpoint holds, None if it cannot be read.
    """
    jobs = []
    for record in [r for r in ledger.records.values() if not r.state.finished]:
        epoch = epoch_of(record.checkpoint) if record.checkpoint else None
        if epoch is None:
            ledger.restart(record.number)
        ledger.rewind(record.number, epoch or 0)
        jobs.append(
            Job(
                phase=record.phase,
                number=record.number,
                config=parse_trial({**record.config, "device": device}, "recorded trial"),
                origin=record.origin,
                params=record.params,
                resume=record.checkpoint if epoch is not None else "",
            )
        )
    return jobs


def settle_study(study: StudyLog, ledger: Ledger) -> None:
    """Tell the study what the database knows: ends it missed, and draws that became nothing."""
    for number, record in ledger.records.items():
        if record.state.finished:
            study.tell(number, record.state, ledger.curves[number])
    study.abandon_lost(set(ledger.records))


def rebuild_rungs(rungs: Rungs, ledger: Ledger) -> None:
    """Enter every recorded epoch, as if the scheduler had seen it."""
    for number, curve in ledger.curves.items():
        for report in curve:
            rungs.record(number, report.epoch, report.valid)
