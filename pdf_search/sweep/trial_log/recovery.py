"""Recovers what a killed or interrupted run left behind, before the next run starts.

A fresh start goes the same way: with an empty database there is nothing to recover.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pdf_search.config import parse_trial
from pdf_search.records import State
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.trial_log.trial_log import TrialLog

TRIED_AGAIN = "The sweep ended here; a resume tries this trial again."


def retry_later(trial_log: TrialLog) -> None:
    """Mark the trials that failed before an epoch, so that a resume tries them again.

    It is called when the first trials fail alike, for a reason that the user can remove.
    """
    for record in list(trial_log.records.values()):
        if record.state is State.FAILED and not record.epochs_done:
            trial_log.save(replace(record, message=f"{record.message}\n{TRIED_AGAIN}"))


def retry(trial_log: TrialLog) -> None:
    """Set the marked trials to NOT STARTED; the Optuna study keeps them as failed."""
    for record in list(trial_log.records.values()):
        if record.state is State.FAILED and record.message.endswith(TRIED_AGAIN):
            trial_log.save(replace(record, state=State.NOT_STARTED, message="", ended=""))


def unfinished_jobs(
    trial_log: TrialLog, device: str, epoch_of: Callable[[str], int | None]
) -> list[Job]:
    """A job for each trial that was to train, which continues at its checkpoint.

    The recorded epochs after the checkpoint are dropped, because they are trained and reported
    again. ``epoch_of`` reads the epoch that a checkpoint holds, None if it cannot be read; such a
    trial starts afresh.
    """
    numbers = [
        number
        for number, record in trial_log.records.items()
        if not record.state.finished and record.state is not State.PAUSED
    ]
    return [job_from(trial_log, number, device, epoch_of) for number in numbers]


def job_from(
    trial_log: TrialLog, number: int, device: str, epoch_of: Callable[[str], int | None]
) -> Job:
    """The job that continues a recorded trial at its checkpoint; see ``unfinished_jobs``."""
    record = trial_log.records[number]
    epoch = epoch_of(record.checkpoint) if record.checkpoint else None
    if epoch is None:
        trial_log.restart(number)
    if epoch != record.epochs_done:
        trial_log.rewind(number, epoch or 0)
    return Job(
        phase=record.phase,
        number=number,
        config=parse_trial({**record.config, "device": device}, "recorded trial"),
        origin=record.origin,
        params=record.params,
        resume=record.checkpoint if epoch is not None else "",
    )


def settle_study(study: OptunaStudy, trial_log: TrialLog) -> None:
    """Bring the Optuna study up to date with the trial log.

    It is told the ends that it missed, and the draws that never became a recorded trial are
    rejected.
    """
    for number in list(study.untold):
        record = trial_log.records.get(number)
        if record is not None and record.state.finished:
            study.tell(number, record.state, trial_log.curve(number))
        elif record is not None and record.state is State.PAUSED:
            study.report(number, trial_log.curve(number))
    study.abandon_lost(set(trial_log.records))
