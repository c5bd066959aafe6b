"""The four ways to run a sweep, as the command line calls them: run, resume, confirm, rerun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from signal import SIGINT
from typing import Any

from rich.console import Console

from pdf_search.data import Progress
from pdf_search.errors import ConfigError
from pdf_search.records import Phase, SweepRecord
from pdf_search.results import Store, study_parts
from pdf_search.space import Space, recorded_study, searched_text
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.begun_data import begun_data
from pdf_search.sweep.driver import Driver, Functions, SweepResult
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.opening import refuse_none, refuse_study
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.plan import Begun, Plan, plan_sweep
from pdf_search.sweep.study_plan import StudyPlan, plan_study
from pdf_search.sweep.study_run import run_listed
from pdf_search.sweep.trial_log.sweep_record import (
    RAW_FILES,
    new_record,
    refuse_changed_data,
)
from pdf_search.sweep.tune.runner import Runner
from pdf_search.wording import counted

Work = Callable[[Driver, Runner], None]

OF_ONE_CONFIRMATION = ("top_k", "seeds", "confirm_epochs")
"""What ``confirm`` is given of these does not stay with the sweep: its rows hold what they need."""


def run_sweep(
    plan: Plan | StudyPlan,
    console: Console | None = None,
    command: str = "",
    functions: Functions | None = None,
) -> SweepResult:
    """Run a new sweep: search, then confirm.

    A trial that fails becomes a row of the results. A sweep that ends early can be resumed. A study
    that is run again goes on where it stopped.

    Raises:
        ConfigError: another process runs this sweep, its name is taken, or the study began with
            other settings.
        DataError: the study began with other data.
        ResourceError: the cluster cannot run it.
    """
    with plan.folder.locked(), plan.folder.open_store(create=True) as store:
        if isinstance(plan, StudyPlan):
            return run_listed(plan, store, command, console, functions or Functions())
        plan.folder.refuse_taken(store)
        record = new_sweep_record(plan, command)

        def work(driver: Driver, runner: Runner) -> None:
            driver.store.create_sweep(record)
            plan.folder.keep_space(searched_text(plan.space))
            _both_phases(driver, runner)

        return _drive(plan, store, work, console, functions)


def resume(
    name: str,
    out: Path = Path("runs"),
    db: str | None = None,
    trials: int | None = None,
    console: Console | None = None,
    progress: Progress | None = None,
    functions: Functions | None = None,
    **changes: Any,
) -> SweepResult:
    """Continue a sweep or study that was killed, interrupted or timed out, as it was recorded.

    ``trials`` is the new total of a search. ``changes`` are other fields of SweepOptions for this
    run, such as ``concurrent`` or ``time``.

    Raises:
        ConfigError: another process runs it, ``trials`` is less than it has, or it is a study and
            ``trials`` is given.
        DataError: the data set is not the one that the sweep began with.
        StoreError: there is no such sweep.
    """
    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store, folder.locked():
        if parts := study_parts(store, folder.name):
            if trials is not None:
                what = f"--trials: {folder.name} is a study, whose runs are fixed"
                raise ConfigError(f"{what}; leave it out")
            study = _recorded_study(parts, folder, out, progress, changes)
            return run_listed(study, store, parts[0].command, console, functions or Functions())
        plan = recorded_plan(store, folder, out, progress, trials=trials, **changes)
        have = sum(not trial.is_rerun for trial in store.trials(plan.name, Phase.SEARCH))
        if trials is not None and trials < have:
            raise ConfigError(
                f"--trials {trials}: the sweep has {counted(have, 'trial')} already; give more"
            )
        if trials is not None and progress is not None:
            for note in plan.notes:
                progress(note)
        plan = replace(plan, trials=max(plan.trials, have))
        options = store.sweep(plan.name).options | {"prepared": str(plan.data.folder)}
        store.update_sweep(plan.name, trials=plan.trials, options=options)
        return _drive(plan, store, _both_phases, console, functions)


def confirm(
    name: str,
    out: Path = Path("runs"),
    db: str | None = None,
    console: Console | None = None,
    progress: Progress | None = None,
    functions: Functions | None = None,
    **changes: Any,
) -> SweepResult:
    """Confirm the best trials of a recorded sweep, on the seeds that they were not confirmed on.

    ``changes`` are ``top_k``, ``seeds``, ``confirm_epochs`` and other fields of SweepOptions. Those
    three are of this confirmation alone: a later ``resume`` ends it, and takes the sweep's own for
    what is new.

    Raises:
        ConfigError: ``top_k`` is 0, or the sweep was to confirm nothing and it is not given.
    """

    def work(driver: Driver, runner: Runner) -> None:
        driver.confirm(runner, driver.plan.top_k)

    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store, folder.locked():
        refuse_study(store, folder.name)
        refuse_none(folder.called, store.sweep(folder.name), changes.get("top_k"))
        plan = recorded_plan(store, folder, out, progress, **changes)
        recorded = store.sweep(plan.name).options
        own = {key: recorded[key] for key in OF_ONE_CONFIRMATION if key in recorded}
        store.update_sweep(plan.name, options=plan.recorded_options() | own)
        return _drive(plan, store, work, console, functions)


def rerun(
    name: str,
    number: int,
    phase: Phase = Phase.SEARCH,
    out: Path = Path("runs"),
    db: str | None = None,
    console: Console | None = None,
    progress: Progress | None = None,
    functions: Functions | None = None,
    **changes: Any,
) -> SweepResult:
    """Train the configuration of a recorded trial once more, as a rerun that checks its numbers."""

    def work(driver: Driver, runner: Runner) -> None:
        driver.rerun(runner, number, phase)

    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store, folder.locked():
        plan = recorded_plan(store, folder, out, progress, **changes)
        return _drive(plan, store, work, console, functions)


def recorded_plan(
    store: Store, folder: SweepFolder, out: Path, progress: Progress | None, **changes: Any
) -> Plan:
    """Plan a recorded sweep again, for this machine, from its recorded space and options.

    Raises:
        ConfigError: ``folder`` names a study or a part of one, whose runs are fixed.
        DataError: the data, or its split, has changed since the sweep began.
    """
    refuse_study(store, folder.name)
    record = store.sweep(folder.name)
    fixed = {
        "name": record.name,
        "trials": record.trials,
        "epochs": record.epochs,
        "method": record.method,
        "metric": record.metric,
        "seed": record.seed,
    }
    options = _recorded_options(record, folder, out, changes, fixed)
    data = begun_data(record, options.cache, progress)
    begun = Begun(folder, data, bool(store.trials(folder.name, Phase.SEARCH)))
    plan = plan_sweep(Space.from_dict(record.space_definition), options, progress, begun)
    portfolio = tuple(record.options.get("portfolio", ()))  # none in sweeps of older versions
    plan = replace(plan, portfolio=portfolio)
    if changes.get("trials") is None:
        plan = replace(plan, trials=max(plan.trials, record.trials))  # some may be trained twice
    refuse_changed_data(record, plan.data.fingerprint, plan.split_hash, _source(plan))
    return plan


def _recorded_study(
    parts: list[SweepRecord],
    folder: SweepFolder,
    out: Path,
    progress: Progress | None,
    changes: dict[str, Any],
) -> StudyPlan:
    """Plan a study as it was recorded, whatever its file says now."""
    options = _recorded_options(parts[0], folder, out, changes, {})
    begun = {part.name: begun_data(part, options.cache, progress) for part in parts}
    known = {part: data for part, data in begun.items() if data is not None}
    study = recorded_study(parts[0].space_definition)
    return plan_study(study, options, progress, folder, known)


def _recorded_options(
    record: SweepRecord,
    folder: SweepFolder,
    out: Path,
    changes: dict[str, Any],
    fixed: dict[str, Any],
) -> SweepOptions:
    """The options of a recorded sweep, with ``changes`` that are not None.

    ``fixed`` are options that the record has as columns of its own.
    """
    given = {key: value for key, value in changes.items() if value is not None}
    placed = {"out": out, "db": folder.db}
    return SweepOptions.from_recorded(record.options, **(placed | fixed | given))


def _source(plan: Plan) -> str:
    """The source of a sweep's data, in words for a message."""
    path = plan.first.data.path
    return f"the file {path}" if path else RAW_FILES


def _drive(
    plan: Plan, store: Store, work: Work, console: Console | None, functions: Functions | None
) -> SweepResult:
    stop_condition = StopCondition(plan.options.time)
    driver = Driver(
        plan, store, stop_condition, console or Console(stderr=True), functions or Functions()
    )
    with driver.session() as runner:
        work(driver, runner)
    return SweepResult(
        plan=plan,
        ended=stop_condition.ended,
        search=store.trials(plan.name, Phase.SEARCH),
        confirm=store.trials(plan.name, Phase.CONFIRM),
        messages=tuple(driver.messages),
        signal=stop_condition.signal or SIGINT,
        reason=stop_condition.alike,
    )


def _both_phases(driver: Driver, runner: Runner) -> None:
    driver.search(runner)
    rows = driver.store.trials(driver.plan.name, Phase.CONFIRM)
    begun = any(not row.state.finished for row in rows)
    if (driver.plan.top_k or begun) and not driver.stop_condition.due():
        driver.confirm(runner, driver.plan.top_k)


def new_sweep_record(plan: Plan, command: str) -> SweepRecord:
    """The record of a searched sweep that begins now."""
    return new_record(
        plan,
        command,
        name=plan.name,
        space=plan.space.name,
        space_definition=plan.space.as_dict(),
        protocol=plan.first.protocol,
        method=plan.method.name,
        seed=plan.options.seed,
        trials=plan.trials,
        options=plan.recorded_options(),
    )
