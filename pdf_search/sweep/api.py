"""What the command line calls: run, resume, confirm, rerun."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from pdf_search.data.raw_set import Progress
from pdf_search.errors import ConfigError
from pdf_search.records import Phase, SweepRecord
from pdf_search.results.store import Store
from pdf_search.space import Space
from pdf_search.sweep.begun import begun_data
from pdf_search.sweep.cluster import versions
from pdf_search.sweep.driver import Driver, Functions, SweepResult
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.halt import Halt
from pdf_search.sweep.ledger import now
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.plan import Plan, plan_sweep
from pdf_search.sweep.record import RAW_FILES, commit, refuse_changed_data
from pdf_search.sweep.runner import Runner
from pdf_search.wording import counted

Work = Callable[[Driver, Runner], None]


def run_sweep(
    plan: Plan,
    console: Console | None = None,
    command: str = "",
    functions: Functions | None = None,
) -> SweepResult:
    """Search, then confirm. A trial that fails is a row; what ends early can be resumed.

    Raises:
        ConfigError: another process runs this sweep. StoreError: its name is taken.
        ResourceError: the cluster is not fit for it.
    """

    def work(driver: Driver, runner: Runner) -> None:
        driver.store.create_sweep(_record(plan, command or " ".join(sys.argv)))
        _both_phases(driver, runner)

    with plan.folder.locked(), plan.folder.open_store(create=True) as store:
        _refuse_taken(store, plan)
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
    """Continue a sweep that was killed, interrupted or timed out; ``trials``: its new total.

    ``changes``: other fields of SweepOptions for this run, such as ``concurrent`` or ``time``.

    Raises:
        DataError: the data set is not the one that the sweep began with.
        StoreError: no such sweep. ConfigError: another process runs it, or has more trials.
    """
    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store, folder.locked():
        plan = recorded_plan(store, folder, out, progress, trials=trials, **changes)
        have = len(store.trials(plan.name, Phase.SEARCH))
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
    """Confirm the best trials; seeds that they were confirmed on before are left out.

    ``changes``: ``top_k``, ``seeds``, ``confirm_epochs`` and other fields of SweepOptions.
    """

    def work(driver: Driver, runner: Runner) -> None:
        driver.confirm(runner, driver.plan.top_k)

    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store, folder.locked():
        plan = recorded_plan(store, folder, out, progress, **changes)
        store.update_sweep(plan.name, options=plan.recorded_options())
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
    """Train the configuration of a recorded trial once more, as a new trial."""

    def work(driver: Driver, runner: Runner) -> None:
        driver.rerun(runner, number, phase)

    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store, folder.locked():
        plan = recorded_plan(store, folder, out, progress, **changes)
        return _drive(plan, store, work, console, functions)


def recorded_plan(
    store: Store, folder: SweepFolder, out: Path, progress: Progress | None, **changes: Any
) -> Plan:
    """The plan of a recorded sweep, on this machine and on the same data.

    Raises:
        DataError: the data, or its split, has changed since the sweep began.
    """
    _refuse_study(store, folder.name)
    record = store.sweep(folder.name)
    given = {key: value for key, value in changes.items() if value is not None}
    fixed = {
        "name": record.name,
        "out": out,
        "db": folder.db,
        "trials": record.trials,
        "epochs": record.epochs,
        "method": record.method,
        "metric": record.metric,
        "seed": record.seed,
    }
    options = SweepOptions.from_recorded(record.options, **(fixed | given))
    begun = begun_data(record, options.cache, progress)
    plan = plan_sweep(Space.from_dict(record.space_definition), options, progress, begun)
    plan = replace(plan, folder=folder)
    if given.get("trials") is None:
        plan = replace(plan, trials=max(plan.trials, record.trials))  # some may be trained twice
    refuse_changed_data(record, plan.data.fingerprint, plan.split_hash, _source(plan))
    return plan


def _refuse_study(store: Store, name: str) -> None:
    for sweep in store.sweeps():
        study = sweep.options.get("study")
        if study and name in (sweep.name, study["name"]):
            what = "a study" if name == study["name"] else "part of a study"
            raise ConfigError(
                f"{name} is {what}, whose runs are fixed: only `pdf-search resume {study['name']}` "
                "goes on with it"
            )


def _source(plan: Plan) -> str:
    """Where the data of a sweep came from, in words of the command line."""
    path = plan.first.data.path
    return f"the file {path}" if path else RAW_FILES


def _drive(
    plan: Plan,
    store: Store,
    work: Work,
    console: Console | None,
    functions: Functions | None,
) -> SweepResult:
    halt = Halt(plan.options.time)
    driver = Driver(plan, store, halt, console or Console(stderr=True), functions or Functions())
    with driver.session() as runner:
        work(driver, runner)
    return SweepResult(
        plan=plan,
        ended=halt.ended,
        search=store.trials(plan.name, Phase.SEARCH),
        confirm=store.trials(plan.name, Phase.CONFIRM),
        messages=tuple(driver.messages),
        reason=halt.alike,
    )


def _both_phases(driver: Driver, runner: Runner) -> None:
    driver.search(runner)
    if driver.plan.top_k and not driver.halt.due():
        driver.confirm(runner, driver.plan.top_k)


def _refuse_taken(store: Store, plan: Plan) -> None:
    names = [sweep.name for sweep in store.sweeps()]
    if plan.name in names or (names and plan.folder.db is None):
        held = plan.name if plan.name in names else names[0]
        raise ConfigError(
            f"sweep {held} exists in {store.place}: continue it with "
            f"`pdf-search resume {plan.folder.called}`, or choose another --name"
        )


def _record(plan: Plan, command: str) -> SweepRecord:
    return SweepRecord(
        name=plan.name,
        space=plan.space.name,
        space_definition=plan.space.as_dict(),
        dataset=plan.info.name,
        fingerprint=plan.data.fingerprint,
        split_hash=plan.split_hash,
        metric=plan.metric.name,
        protocol=plan.first.protocol,
        method=plan.method.name,
        seed=plan.options.seed,
        trials=plan.trials,
        epochs=plan.epochs,
        options=plan.recorded_options(),
        versions=versions(),
        commit=commit(),
        command=command,
        created=now(),
    )
