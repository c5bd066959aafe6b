"""Ends a sweep or study on the command line: the last messages and the exit code."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from datetime import datetime

import typer

from pdf_search.cli.output import say
from pdf_search.errors import FullDiskError, PdfSearchError, StoreError
from pdf_search.full_disk import full_words
from pdf_search.records import State, TrialRecord
from pdf_search.results import divergence_advice
from pdf_search.signals import exit_code
from pdf_search.sweep import StudyPlan, SweepFolder, SweepResult
from pdf_search.wording import counted


def exit_after(result: SweepResult) -> None:
    """Tell what failed and how to go on, and exit with the code for it.

    Raises:
        typer.Exit: 130 after Ctrl-C (other signals: 128 and their number), 1 if the first trials
            failed alike, or if every trial of a phase failed or diverged.
    """
    confirmed = [trial for trial in result.confirm if not trial.is_baseline]
    failed = [trial for trial in result.search + confirmed if trial.state is State.FAILED]
    name = result.plan.folder.called
    if isinstance(result.plan, StudyPlan):
        _tell_rows(confirmed)
    elif failed:
        say(f"{counted(len(failed), 'trial')} FAILED: {failed[0].reason} (pdf-search show {name})")
    if result.ended:
        say_and_log(unfinished(result), result.plan.folder)
    if result.ended == "interrupted":
        raise typer.Exit(exit_code(result.signal))
    if result.ended == "alike":
        raise typer.Exit(PdfSearchError.exit_code)
    last = "run" if isinstance(result.plan, StudyPlan) else "confirmed trial"
    for what, trials in (("trial of the search", result.search), (last, confirmed)):
        if trials and all(trial.state in (State.FAILED, State.DIVERGED) for trial in trials):
            advice = divergence_advice(trials)
            why = advice or f"pdf-search show {name} says why"
            say(f"error: every {what} FAILED or DIVERGED, so there is no result: {why}")
            raise typer.Exit(PdfSearchError.exit_code)


def say_and_log(message: str, folder: SweepFolder) -> None:
    """Print a message, and write it into the sweep's log."""
    say(message)
    _log(message, folder)


def _log(message: str, folder: SweepFolder) -> None:
    """Write a message into the sweep's log, for who has no terminal any more."""
    if folder.log.parent.is_dir():
        with suppress(OSError), folder.log.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} {message}\n")


def _tell_rows(trials: list[TrialRecord]) -> None:
    """Print a line for each run of a study that has no result."""
    for trial in trials:
        if trial.state in (State.FAILED, State.DIVERGED):
            row = trial.origin.partition(": ")[2]
            say(f"{trial.sweep}, {row}: {trial.state}: {trial.reason}")


def unfinished(result: SweepResult) -> str:
    """The message that a sweep or study is not finished: why, how far it came, how to go on."""
    if isinstance(result.plan, StudyPlan):
        what = f"study {result.plan.name}", "runs"
        done = sum(trial.state is State.COMPLETE for trial in result.confirm)
        far = f"{done} of {len(result.confirm)} runs COMPLETE"
    else:
        what = f"sweep {result.plan.name}", "trials"
        own = [trial for trial in result.search if not trial.is_rerun]
        ended = sum(trial.state.finished for trial in own)
        total = max(result.plan.trials, len(own))
        far = f"{ended} of {total} search trials ended"
    reason = _end_in_words(result.ended, result.reason, what[1])
    return f"{what[0]} is not finished: {reason} with {far}; go on with: {result.how_to_resume}"


def _end_in_words(ended: str, reason: str, what: str) -> str:
    """Why a sweep or study ended early, in words; ``what`` is "trials" or "runs"."""
    alike = f"the first {what} failed alike, {reason!r}, which is to be mended first,"
    return {"time": "stopped by --time", "alike": alike}.get(ended, ended)


def full_disk(error: Exception, folder: SweepFolder) -> FullDiskError:
    """The error that a disk is full: where, with how many bytes left, and how to go on."""
    known = isinstance(error, PdfSearchError)
    what = str(error) if known else full_words(folder.path, tempfile.gettempdir())
    how = folder.how_to_resume if _is_recorded(folder) else "the same command"
    return FullDiskError(f"{what}. Make room, then go on with: {how}")


def interrupted(folder: SweepFolder) -> str:
    """The message after a signal that came while no trials ran."""
    if not _is_recorded(folder):
        return "interrupted before anything was recorded; start again with the same command"
    return f"interrupted; go on with: {folder.how_to_resume}"


def tell_cut_off(folder: SweepFolder) -> str:
    """The message of a process that is ended at once, which is logged too.

    It cannot ask the database, which the signal may have come into.
    """
    how = folder.how_to_resume
    message = f"interrupted; go on with: {how} (or the same command, if it knows of no such sweep)"
    _log(message, folder)
    return message


def _is_recorded(folder: SweepFolder) -> bool:
    try:
        with folder.open_store() as store:
            return bool(store.sweeps())
    except StoreError:
        return False
