"""Running a sweep from Python, and looking at what it found."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

import pandas as pd
from rich.console import Console

from pdf_search.api.spaces import load_space
from pdf_search.api.trials import Trial
from pdf_search.errors import ConfigError
from pdf_search.paths import expanded
from pdf_search.records import Phase
from pdf_search.space import Space
from pdf_search.sweep import SweepFolder, SweepOptions, SweepResult, plan_sweep
from pdf_search.sweep import confirm as confirm_recorded
from pdf_search.sweep import resume as resume_recorded
from pdf_search.sweep import run_sweep as run_planned
from pdf_search.wording import without_control
from reports import SweepData, find_trial, leaderboard_rows, load_sweep, write_report


class Settings(TypedDict, total=False):
    """The settings of a sweep; see ``pdf_search.sweep.SweepOptions``, whose fields these are."""

    name: str | None
    out: Path
    db: str | None
    trials: int | None
    epochs: int | None
    method: str | None
    metric: str | None
    replicates: int | None
    seed: int
    cpus_per_trial: int
    gpus_per_trial: float | None
    concurrent: int | None
    address: str | None
    storage: str | None
    time: float | None
    top_k: int | None
    seeds: int | None
    confirm_epochs: int | None
    repeat: bool
    no_portfolio: bool
    from_sweeps: tuple[str, ...]
    checkpoint_seconds: float
    epoch_timeout: float
    tensorboard: bool
    data_root: Path | None
    cache: Path | None
    assume_yes: bool


def run_sweep(
    space: Space | str | Path, *, quiet: bool = False, **settings: Unpack[Settings]
) -> Sweep:
    """Search a space, train the winners again on fresh seeds, write the report.

    It blocks until the sweep is finished, or was interrupted (the stop button of a notebook) or
    timed out; ``Sweep.ended`` then says why, and ``Sweep.resume`` goes on. It may be called inside
    a running event loop and in any thread. Where Ray runs in this process already, that Ray is
    used, and left running.

    Args:
        space: As ``load_space`` gives it, or what ``load_space`` takes.
        quiet: Print nothing.
        settings: Those of ``SweepOptions``: ``trials=16``, ``time=600``, ``out=Path("runs")``.

    Raises:
        PdfSearchError: the sweep cannot run; the message says what to do.
    """
    space = space if isinstance(space, Space) else load_space(space)
    console = Console(stderr=True, quiet=quiet)

    def say(text: str) -> None:
        console.print(without_control(text), markup=False, highlight=False, soft_wrap=True)

    plan = plan_sweep(space, _options(settings), progress=say)
    say("\n".join(plan.lines()))
    return _finished(run_planned(plan, console), plan.folder)


def open_sweep(name: str | Path, *, out: str | Path = Path("runs"), db: str | None = None) -> Sweep:
    """Open a recorded sweep, by its name below ``out`` or the path of its folder.

    Raises:
        StoreError: there is none.
        ConfigError: an argument is no name or path.
    """
    if not isinstance(name, str | Path):
        raise ConfigError(f"name: {name!r} does not fit: give the name or the folder of a sweep")
    return Sweep(SweepFolder.find(expanded(out), str(name), db))


def _options(settings: Settings) -> SweepOptions:
    unknown = sorted(set(settings) - set(Settings.__annotations__))
    if unknown:
        raise ConfigError(f"no setting {', '.join(unknown)}: see pdf_search.sweep.SweepOptions")
    given: dict[str, Any] = dict(settings)
    for name, value in settings.items():
        if name in ("out", "data_root", "cache") and isinstance(value, str):
            given[name] = Path(value)
        if name in ("db", "storage") and isinstance(value, Path):
            given[name] = str(value)
    return SweepOptions(**given)


def _phase(given: Phase | str) -> Phase:
    try:
        return Phase(given)
    except ValueError:
        raise ConfigError(f"phase {given!r}: name {' or '.join(Phase)}") from None


def _finished(result: SweepResult, folder: SweepFolder) -> Sweep:
    with folder.open_store() as store:
        write_report(
            store, folder.name, folder.report, folder.predictions, folder.called, folder.where
        )
    return Sweep(folder, result.ended, result.messages)


@dataclass
class Sweep:
    """A recorded sweep. What it gives is read from its database at each call.

    ``ended`` is why its last run in this process ended early: "interrupted", "time" or "alike" (the
    first trials failed alike), else "". ``messages`` are what that run had to say.
    """

    at: SweepFolder
    ended: str = ""
    messages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._read()

    @property
    def name(self) -> str:
        """The name of the sweep, as the command line takes it."""
        return self.at.called

    @property
    def folder(self) -> Path:
        """Its folder, with everything that it wrote."""
        return self.at.path

    @property
    def report(self) -> Path:
        """The folder of its report, with ``report.html``."""
        return self.at.report

    def leaderboard(self, phase: Phase | str | None = None) -> pd.DataFrame:
        """All trials: those of the search, best first, then the confirmed ones in that order.

        The columns are those of ``leaderboard.csv``: ``mean`` and ``spread`` of the ``metric`` over
        ``n`` replicates on the part ``split``, in ``unit``; sampled values by their dotted paths.
        ``phase``: ``search`` or ``confirm`` alone.

        Raises:
            ConfigError: there is no such phase.
        """
        rows = leaderboard_rows(self._read(), None if phase is None else _phase(phase))
        return pd.DataFrame([row.as_dict() for row in rows])

    @property
    def best(self) -> Trial:
        """The winner: the first confirmed trial in the order of the search, chosen by validation.

        Before a confirmation it is the best trial of the search.

        Raises:
            ConfigError: no trial has a model.
        """
        data = self._read()
        best = data.winning_run or next((entry for entry in data.search if entry.has_model), None)
        if best is not None:
            return Trial(self.at, data, best)
        show = f"pdf-search show {shlex.quote(self.name)}"
        raise ConfigError(f"no trial of {self.name} is COMPLETE with a model: `{show}` says why")

    def trial(self, number: int, phase: Phase | str = Phase.SEARCH) -> Trial:
        """The trial of that number in a phase.

        Raises:
            ConfigError: there is no such phase.
            StoreError: there is no such trial.
        """
        data = self._read()
        return Trial(self.at, data, find_trial(data, number, _phase(phase)))

    def resume(self, *, quiet: bool = False, **changes: Unpack[Settings]) -> Sweep:
        """Go on with it, as ``pdf-search resume``; ``trials`` is the new total."""
        console = Console(stderr=True, quiet=quiet)
        given = _given(changes)
        result = resume_recorded(self.name, self.at.out, self.at.db, console=console, **given)
        return _finished(result, self.at)

    def confirm(self, *, quiet: bool = False, **changes: Unpack[Settings]) -> Sweep:
        """Train its best again on seeds that they lack, as ``pdf-search confirm``."""
        console = Console(stderr=True, quiet=quiet)
        given = _given(changes)
        result = confirm_recorded(self.name, self.at.out, self.at.db, console=console, **given)
        return _finished(result, self.at)

    def _read(self) -> SweepData:
        with self.at.open_store() as store:
            return load_sweep(store, self.at.name, called=self.at.called, where=self.at.where)

    def __repr__(self) -> str:
        ended = f", ended early: {self.ended}" if self.ended else ""
        return f"Sweep({self.name!r} in {self.folder}{ended})"


def _given(changes: Settings) -> dict[str, Any]:
    """The settings as plain keyword arguments, checked."""
    options = _options(changes)
    return {name: getattr(options, name) for name in changes}
