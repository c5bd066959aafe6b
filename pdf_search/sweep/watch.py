"""Shows a sweep or study that another process runs, from what it writes into the database."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from rich.console import Console

from pdf_search.errors import StoreError
from pdf_search.records import Phase, State, SweepRecord, TrialRecord
from pdf_search.results import BestEpochs, Store, study_parts
from pdf_search.runs import is_locked
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.trial_log.progress import ProgressView
from pdf_search.sweep.trial_log.study_progress import StudyView
from pdf_search.sweep.trial_log.view import View

SECONDS = 1.0  # between two looks at the database


def watch_sweep(folder: SweepFolder, console: Console, seconds: float = SECONDS) -> None:
    """Show a running sweep or study until it ends, as its own process shows it.

    One that does not run is shown as it is; one that prepares its data is waited for.

    Raises:
        StoreError: there is no such sweep.
    """
    while not _has_begun(folder) and folder.path.is_dir() and is_locked(folder.path):
        time.sleep(seconds)  # it prepares its data, or starts Ray
    with folder.open_store() as store:
        if parts := study_parts(store, folder.name):
            _watch_study(store, folder, parts, console, seconds)
            return
        sweep = store.sweep(folder.name)
        for phase in Phase:
            view = ProgressView(console, phase, sweep, sweep.options.get("concurrent") or 1)
            follower = Follower(store, [sweep], phase, view)
            follower.look()
            if phase is Phase.CONFIRM and not follower.known:
                return
            _expect(view, follower, sweep)
            with view:
                while not _over(store, folder, sweep, phase):
                    time.sleep(seconds)
                    follower.look()
                    _expect(view, follower, sweep)
                    view.heard_nothing()
                follower.look()
                view.tell_status()


def _has_begun(folder: SweepFolder) -> bool:
    try:
        with folder.open_store() as store:
            return bool(store.sweeps(folder.name))
    except StoreError:
        return False


def _watch_study(
    store: Store, folder: SweepFolder, parts: list[SweepRecord], console: Console, seconds: float
) -> None:
    view = StudyView(console)
    for part in parts:
        view.part(part, part.dataset)
    follower = Follower(store, parts, Phase.CONFIRM, view)
    follower.look()
    with view:
        while is_locked(folder.path):
            time.sleep(seconds)
            follower.look()
            view.heard_nothing()
        follower.look()
        view.tell_status()


def _over(store: Store, folder: SweepFolder, sweep: SweepRecord, phase: Phase) -> bool:
    """Whether a phase is: the other one has begun, or no process runs the sweep."""
    if phase is Phase.SEARCH and store.trials(sweep.name, Phase.CONFIRM):
        return True
    return not is_locked(folder.path)


def _expect(view: ProgressView, follower: Follower, sweep: SweepRecord) -> None:
    """Tell the view how many trials are to come: those of the budget, or those that are planned."""
    known = [trial for trial in follower.known.values() if not trial.is_baseline]
    own = [trial for trial in known if not trial.is_rerun]
    ended = sum(trial.state.finished for trial in own)
    planned = sweep.trials if follower.phase is Phase.SEARCH else 0
    view.expect(max(planned, len(own)) - ended)


class Follower:
    """Tells a view what changed in the database since the last look.

    ``known`` are the trials as they were then, by sweep and number.
    """

    def __init__(
        self, store: Store, sweeps: Sequence[SweepRecord], phase: Phase, view: View
    ) -> None:
        self.store = store
        self.sweeps = sweeps
        self.phase = phase
        self.view = view
        self.known: dict[tuple[str, int], TrialRecord] = {}
        self.looked = False

    def look(self) -> None:
        """Read the trials, and tell the view of those that changed."""
        for sweep in self.sweeps:
            for trial in self.store.trials(sweep.name, self.phase):
                before = self.known.get((trial.sweep, trial.number))
                self.known[trial.sweep, trial.number] = trial
                best = partial(self._best, sweep, trial)
                if not self.looked:
                    self.view.seen(trial, best)
                if trial != before and not trial.is_baseline:
                    self._tell(before, trial, best)
        self.looked = True

    def _tell(
        self, before: TrialRecord | None, trial: TrialRecord, best: partial[BestEpochs]
    ) -> None:
        was = State.NOT_STARTED if before is None else before.state
        if trial.state is State.RUNNING:
            if was is not State.RUNNING:
                self.view.started(trial)
            if trial.epochs_done:
                self.view.epoch(trial, best())
        elif was is State.RUNNING and not trial.state.finished:
            self.view.paused(trial, best())
        elif self.looked and trial.state.finished:
            known = best()
            self.view.epoch(trial, known)  # the last ones, since the look before
            self.view.ended(trial, known)

    def _best(self, sweep: SweepRecord, trial: TrialRecord) -> BestEpochs:
        epochs = self.store.epochs(sweep.name, self.phase, trial.number)
        return BestEpochs.of(sweep, self.phase, epochs)
