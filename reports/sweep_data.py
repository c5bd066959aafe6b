"""Everything that a report needs of one sweep, read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from pdf_search.records import METRICS, Metric, Phase, State, SweepRecord, TrialRecord
from pdf_search.results import Store, rank_trials
from pdf_search.wording import counted
from reports.entry import Entry, entry_of, told_apart
from reports.tables.pooled import pooled_runs, pooled_together

MOST_REASONS = 3  # reasons of failure that are named
NOT_ASKED = "no confirmation asked for (--top-k 0)"


@dataclass(frozen=True)
class SweepData:
    """A sweep and its trials.

    ``search`` is ordered best first. ``confirm`` follows the order of the search, with the baseline
    predictor last. ``reruns`` repeat trials of either, to check their numbers; they are shown, and
    nothing else is made of them.
    """

    sweep: SweepRecord
    search: tuple[Entry, ...]
    confirm: tuple[Entry, ...]
    reruns: tuple[Entry, ...] = ()
    resume: str = ""  # the command that continues it, if it is known that no process runs it
    called: str = ""  # its name on the command line, where its folder was renamed
    where: str = ""  # options of a command that tell where it is, such as --out FOLDER

    @property
    def recorded(self) -> tuple[Entry, ...]:
        """All that is recorded: search, confirmation, and the reruns last."""
        return (*self.search, *self.confirm, *self.reruns)

    @property
    def title(self) -> str:
        """Name of the data set; for the user's own data the name of their file, no suffix."""
        if self.sweep.dataset not in ("csv", "graphs"):
            return self.sweep.dataset
        definition = self.sweep.space_definition.get("definition", {})
        trees = [entry.trial.config for entry in self.recorded]
        data = [tree.get("data") for tree in (*trees, definition)]
        paths = [part.get("path") for part in data if isinstance(part, dict)]
        return next((Path(path).stem for path in paths if isinstance(path, str)), "csv")

    @property
    def metric(self) -> Metric:
        """The metric of the sweep."""
        return METRICS[self.sweep.metric]

    @property
    def unit(self) -> str:
        """Unit of the targets; empty if none is recorded."""
        return str(self.sweep.options.get("unit", ""))

    @property
    def data_notes(self) -> tuple[str, ...]:
        """Notes on how the files of the data set were read, which a reader of a table must know."""
        return tuple(self.sweep.options.get("data_notes", ()))

    @property
    def bases(self) -> Mapping[str, Any]:
        """What the data tell of the bases of the widest grid; empty where it is not recorded."""
        return dict(self.sweep.options.get("bases") or {})

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the targets; empty where none is recorded."""
        return tuple(self.sweep.options.get("targets", ()))

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes of a multi-class task; empty where none is recorded."""
        return tuple(self.sweep.options.get("classes", ()))

    @cached_property
    def confirmations(self) -> tuple[Entry, ...]:
        """One entry per confirmed configuration, over the replicates of all its runs.

        The baseline predictor is not among them.
        """
        runs = [(e.trial, e.epochs) for e in self.confirm if not e.is_baseline]
        return tuple(told_apart([entry_of(self.sweep, *r) for r in pooled_runs(self.sweep, runs)]))

    @property
    def winning_run(self) -> Entry | None:
        """The trained model of the first confirmed configuration, in the order of the search.

        Of several runs of it the one with the most replicates. None if there is no model.
        """
        models = [entry for entry in self.confirm if entry.has_model]
        if not models:
            return None
        runs = [models[0], *self.beside(models[0])]
        return max(runs, key=lambda entry: len(entry.trial.replicates))

    def beside(self, run: Entry) -> list[Entry]:
        """The other runs of a confirmed configuration that have a model: on more seeds, later."""
        models = [entry for entry in self.confirm if entry.has_model and entry != run]
        return [e for e in models if pooled_together(self.sweep, e.trial, run.trial)]

    def beside_note(self, run: Entry) -> str:
        """What to tell of a run if the table's row has the replicates of others too; else ""."""
        others = self.beside(run)
        if not others:
            return ""
        own = len(run.trial.replicates)
        count = len({r for entry in (run, *others) for r in entry.trial.replicates})
        which = " and ".join(str(entry.trial.number) for entry in others)
        return (
            f"the table's row is over {count} replicates; this model has {own} of them, the "
            f"others are in trial {which} of phase confirm"
        )

    @property
    def confirmed(self) -> tuple[Entry, ...]:
        """The confirmations that have a value."""
        return tuple(e for e in self.confirmations if e.summary.mean is not None)

    @property
    def confirmed_whole(self) -> int:
        """How many configurations are confirmed by a whole run at least, at whatever length."""
        return len(_trials(entry for entry in self.confirmations if not entry.summary.partial))

    @property
    def not_asked(self) -> str:
        """That the sweep was to confirm nothing, and nothing is confirmed; else ""."""
        return NOT_ASKED if self.sweep.options.get("top_k") == 0 and not self.confirm else ""

    @property
    def how_to_confirm(self) -> str:
        """The command that confirms its best trials; of a sweep with none it says how many."""
        count = "--top-k 3" if self.sweep.options.get("top_k") == 0 else ""
        return self.command("confirm", count)

    def command(self, verb: str, options: str = "") -> str:
        """The command of a verb for this sweep, with the options that tell where it is."""
        words = ("pdf-search", verb, quote(self.called), options, self.where)
        return " ".join(filter(None, words))

    @property
    def interrupted(self) -> str:
        """What to tell if trials are INTERRUPTED and no process runs the sweep; else ""."""
        states = {entry.trial.state for entry in self.recorded}
        left = self.resume and State.INTERRUPTED in states
        return f"interrupted; go on with: {self.resume}" if left else ""

    def notices(self) -> list[str]:
        """Say what is unfinished in search and confirmation; empty for a complete sweep.

        A search that was to confirm nothing lacks nothing; see ``not_asked``.
        """
        notices = []
        finished = sum(entry.trial.state.finished for entry in self.search)
        if finished < self.sweep.trials:
            running = sum(entry.trial.state is State.RUNNING for entry in self.search)
            more = f", {running} running" if running else ""
            notices.append(f"search: {finished} of {self.sweep.trials} trials finished{more}")
        if self.interrupted:
            notices.append(self.interrupted)
        begun = _trials(self.confirmations)
        left = _trials(entry for entry in self.confirmations if entry.summary.partial)
        if not begun and not self.not_asked:
            notices.append("confirm: not run yet, so there are no test numbers")
        elif left:
            notices.append(f"confirm: {len(left)} of {len(begun)} configurations not whole")
        return notices

    def failures(self) -> list[str]:
        """Count the trials that FAILED or DIVERGED by their reason, the most common first.

        ``MOST_REASONS`` reasons are listed; a last item says how many more there are.
        """
        bad = [
            f"{entry.trial.state.value}: {entry.trial.reason or 'no reason recorded'}"
            for entry in (*self.search, *self.confirm)
            if entry.trial.state in (State.FAILED, State.DIVERGED)
        ]
        common = Counter(bad).most_common()
        more = (
            [counted(len(common) - MOST_REASONS, "more reason")]
            if len(common) > MOST_REASONS
            else []
        )
        found = [f"{counted(count, 'trial')} {reason}" for reason, count in common[:MOST_REASONS]]
        return [*found, *more]


def load_sweep(
    store: Store, name: str, resume: str = "", called: str = "", where: str = ""
) -> SweepData:
    """Read a sweep with its trials and their epochs.

    ``called``: its name on the command line, where that is another. ``where``: options of a
    command that tell where it is. ``resume``: the command that
    continues it, if no process runs it. Trials that are recorded as RUNNING then are INTERRUPTED,
    since their driver was killed.

    Raises:
        StoreError: there is no sweep of this name.
    """
    sweep = store.sweep(name)
    entries = [e for phase in Phase for e in _entries(store, sweep, phase, resume)]
    own = [entry for entry in entries if not entry.trial.is_rerun]
    search = _ranked(sweep, [e for e in own if e.trial.phase is Phase.SEARCH])
    confirm = _in_order_of_search(search, [e for e in own if e.trial.phase is Phase.CONFIRM])
    reruns = tuple(entry for entry in entries if entry.trial.is_rerun)
    return SweepData(sweep, tuple(search), tuple(confirm), reruns, resume, called or name, where)


def _entries(store: Store, sweep: SweepRecord, phase: Phase, resume: str) -> list[Entry]:
    epochs = store.all_epochs(sweep.name, phase)
    trials = store.trials(sweep.name, phase)
    if resume:
        trials = [_interrupted(t, resume) if t.state is State.RUNNING else t for t in trials]
    return [entry_of(sweep, trial, epochs.get(trial.number, ())) for trial in trials]


def _interrupted(trial: TrialRecord, resume: str) -> TrialRecord:
    message = f"the process of the sweep is gone; `{resume}` continues"
    return replace(trial, state=State.INTERRUPTED, message=message)


def _trials(runs: Iterable[Entry]) -> set[str]:
    """The configurations that runs are of, each once: one may be confirmed at two lengths."""
    return {entry.trial.called for entry in runs}


def _ranked(sweep: SweepRecord, entries: list[Entry]) -> list[Entry]:
    by_number = {entry.trial.number: entry for entry in entries}
    pairs = [(entry.trial, entry.summary) for entry in entries]
    ranked = [by_number[trial.number] for trial, _ in rank_trials(METRICS[sweep.metric], pairs)]
    return [
        replace(entry, rank=place if entry.trial.state is State.COMPLETE else None)
        for place, entry in enumerate(ranked, start=1)
    ]


def _in_order_of_search(search: list[Entry], confirm: list[Entry]) -> list[Entry]:
    places = {entry.trial.number: place for place, entry in enumerate(search)}

    def key(entry: Entry) -> tuple[bool, int, int]:
        number = -1 if entry.searched_as is None else entry.searched_as
        return entry.is_baseline, places.get(number, len(places)), entry.trial.number

    return sorted(confirm, key=key)
