"""Recovers what a killed or interrupted run left behind, before the next run starts.

A fresh start goes the same way: with an empty database there is nothing to recover.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pdf_search.config import parse_trial
from pdf_search.records import State, TrialRecord
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.trial_log.measured import unfinished
from pdf_search.sweep.trial_log.saved import SavedTrial, SavedTrials
from pdf_search.sweep.trial_log.trial_log import TrialLog

TRIED_AGAIN = "The sweep ended here; a resume tries this trial again."


def retry_later(trial_log: TrialLog, numbers: Iterable[int]) -> None:
    """Mark these trials, which FAILED, so that a resume tries them again.

    It is called when the first trials of a run fail alike, for a reason that the user can remove.
    """
    for number in numbers:
        record = trial_log.records[number]
        trial_log.save(replace(record, message=f"{record.message}\n{TRIED_AGAIN}"))


def retry(trial_log: TrialLog) -> None:
    """Open the marked trials again, in the Optuna study too."""
    for number, record in list(trial_log.records.items()):
        if record.state is State.FAILED and record.message.endswith(TRIED_AGAIN):
            reopen(trial_log, number)


def reopen(trial_log: TrialLog, number: int) -> None:
    """Set a FAILED trial to INTERRUPTED, or to NOT STARTED if it has no epoch."""
    record = trial_log.records[number]
    trial_log.save(replace(record, state=unfinished(record), message="", ended=""))
    if trial_log.study is not None and not record.is_rerun:
        trial_log.study.reopen(number)


def enter_saved(trial_log: TrialLog, saved: SavedTrials) -> None:
    """Enter the checkpoints of unfinished trials that the record does not know.

    A worker writes a checkpoint before the driver hears of it, and a run may end in between.
    """
    for number in _open_numbers(trial_log):
        record = trial_log.records[number]
        found = next(_fitting(record, saved.newest_first(number, record)), None)
        if found is not None and (found.is_after(record) or not record.checkpoint):
            trial_log.enter(number, found)


def remove_leftovers(trial_log: TrialLog, saved: SavedTrials) -> None:
    """Remove what attempts of trials that do not train left behind, killed before they did it."""
    for number, record in list(trial_log.records.items()):
        if record.state.finished:
            trial_log.keep_only_last(number, saved.attempts(number))
        elif record.state is State.PAUSED:
            _keep_newest(trial_log, number, saved)


def unfinished_jobs(trial_log: TrialLog, device: str, saved: SavedTrials) -> list[Job]:
    """A job for each trial that was to train; see ``job_from``."""
    return [job_from(trial_log, n, device, saved) for n in _open_numbers(trial_log)]


def job_from(trial_log: TrialLog, number: int, device: str, saved: SavedTrials) -> Job:
    """The job that continues a recorded trial at its newest whole checkpoint.

    Without one it starts afresh. The recorded epochs after the checkpoint stay until they are
    trained and reported again; those up to it that the record lacks are entered.
    """
    record = trial_log.records[number]
    found = _keep_newest(trial_log, number, saved)
    return Job(
        phase=record.phase,
        number=number,
        config=parse_trial({**record.config, "device": device}, "recorded trial"),
        origin=record.origin,
        params=record.params,
        resume=found.path if found is not None else "",
    )


def _keep_newest(trial_log: TrialLog, number: int, saved: SavedTrials) -> SavedTrial | None:
    """Enter a trial's newest whole checkpoint, and remove its others; None if it has none."""
    record = trial_log.records[number]
    found = next(_fitting(record, saved.newest_first(number, record)), None)
    if found is not None:
        trial_log.enter(number, found)
    elif record.checkpoint:
        trial_log.restart(number)
    beside = saved.beside(found.path) if found is not None else []
    trial_log.keep_only_last(number, [*beside, *saved.attempts(number)])
    return found


def _open_numbers(trial_log: TrialLog) -> list[int]:
    """The numbers of the trials that are to train, and do not wait; the baseline trains nothing."""
    return [
        number
        for number, record in trial_log.records.items()
        if not record.state.finished and record.state is not State.PAUSED and not record.is_baseline
    ]


def _fitting(record: TrialRecord, found: Iterable[SavedTrial]) -> Iterator[SavedTrial]:
    return (saved for saved in found if saved.fits(record))


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
