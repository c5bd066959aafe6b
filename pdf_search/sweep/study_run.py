"""What the command line calls for studies: run one, and go on with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from pdf_search.data.raw_set import Progress
from pdf_search.errors import ConfigError, StoreError
from pdf_search.records import Phase, SweepRecord, TrialRecord
from pdf_search.results import Store, study_parts
from pdf_search.space import recorded_study
from pdf_search.sweep.begun import begun_data
from pdf_search.sweep.cluster import versions
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.halt import Halt, Reason
from pdf_search.sweep.jobs import ListSource
from pdf_search.sweep.ledger import now
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.predictions import gather_predictions
from pdf_search.sweep.record import commit, refuse_changed_data
from pdf_search.sweep.session import session
from pdf_search.sweep.study_book import StudyBook
from pdf_search.sweep.study_plan import METHOD, PartPlan, StudyPlan, plan_study
from pdf_search.sweep.study_view import StudyView
from pdf_search.sweep.targets import record_targets
from pdf_search.sweep.trainable import TrialFunction

MOST_CHANGES = 5  # of a refused study that are named
OnFinished = Callable[[Store], None]


@dataclass(frozen=True)
class StudyResult:
    """How far a study came. ``ended``: why work was left undone, "" if none was."""

    plan: StudyPlan
    ended: Reason
    trials: tuple[TrialRecord, ...]
    reason: str = ""  # of the first runs, where they failed alike


def run_study(
    plan: StudyPlan,
    console: Console | None = None,
    command: str = "",
    function: TrialFunction | None = None,
    on_finished: OnFinished | None = None,
) -> StudyResult:
    """Train what is not finished yet: everything at first, the rest when called again.

    ``on_finished``: called with the store when the rows are written down, and after every run
    that ended. ``function``: trains one trial; None for ``run_trial``.

    Raises:
        ConfigError: another process runs this study, or it began with other settings.
        DataError: a data set is not the one that the study began with.
        ResourceError: the cluster is not fit for it.
    """
    with plan.folder.locked(), plan.folder.open_store(create=True) as store:
        recorded = study_parts(store, plan.name)
        _refuse_changed(plan, recorded, store)
        there = {record.name: record for record in recorded}
        for part in plan.parts:
            if part.name in there:
                refuse_changed_data(there[part.name], part.data.fingerprint, part.split_hash)
            else:
                store.create_sweep(_record(plan, part, command or " ".join(sys.argv)))
        return _drive(plan, store, console, function, on_finished)


def resume_study(
    name: str,
    out: Path = Path("runs"),
    db: str | None = None,
    console: Console | None = None,
    progress: Progress | None = None,
    function: TrialFunction | None = None,
    on_finished: OnFinished | None = None,
    **changes: Any,
) -> StudyResult:
    """Go on with a study as it was recorded, whatever its file says now.

    ``changes``: fields of SweepOptions for this run, such as ``concurrent`` or ``time``.

    Raises:
        StoreError: no such study. Otherwise as ``run_study``.
    """
    folder = SweepFolder.find(out, name, db)
    with folder.open_store() as store:
        recorded = study_parts(store, folder.name)
        if not recorded:
            store.sweep(folder.name)  # says what there is
            raise ConfigError(f"{name} is a sweep, not a study: `pdf-search resume {name}`")
    given = {key: value for key, value in changes.items() if value is not None}
    fixed = {"out": out, "db": db}
    options = SweepOptions.from_recorded(recorded[0].options, **(fixed | given))
    begun = {part.name: begun_data(part, options.cache, progress) for part in recorded}
    known = {part: data for part, data in begun.items() if data is not None}
    study = recorded_study(recorded[0].space_definition)
    plan = plan_study(study, options, progress, folder, known)
    return run_study(plan, console, recorded[0].command, function, on_finished)


def begun_versions(folder: SweepFolder) -> dict[str, int]:
    """The ``featuriser`` and ``split_version`` of a recorded study; {} if there is none."""
    try:
        with folder.open_store() as store:
            recorded = study_parts(store, folder.name)
    except StoreError:
        return {}
    if not recorded:
        return {}
    rows = recorded_study(recorded[0].space_definition).rows
    # A row may name an older version than the study began with; its file names that still.
    return {
        name: max(getattr(row.config.data, name) for row in rows)
        for name in ("featuriser", "split_version")
    }


def _refuse_changed(plan: StudyPlan, recorded: list[SweepRecord], store: Store) -> None:
    if not recorded:
        if any(sweep.name == plan.name for sweep in store.sweeps()):
            raise ConfigError(f"{store.place} holds a sweep {plan.name}: give another --name")
        if plan.folder.db is None and (held := [sweep.name for sweep in store.sweeps()]):
            raise ConfigError(f"{store.place} holds {held[0]} already: give another --name")
        return
    # As a resume reads it: what was recorded without a key has the key's default.
    began = recorded_study(recorded[0].space_definition).as_dict()
    changes = plan.study.changes_from(began)
    if changes:
        more = len(changes) - MOST_CHANGES
        shown = "; ".join(changes[:MOST_CHANGES]) + (f"; and {more} more" if more > 0 else "")
        raise ConfigError(
            f"study {plan.name} in {store.place} began with other settings ({shown}). Go on with "
            f"it as it began: {plan.folder.how_to_resume}; or give another --out or --name"
        )


def _drive(
    plan: StudyPlan,
    store: Store,
    console: Console | None,
    function: TrialFunction | None,
    on_finished: OnFinished | None,
) -> StudyResult:
    halt = Halt(plan.options.time)
    view = StudyView(console or Console(stderr=True))
    book = StudyBook(plan, store, view, lambda: on_finished(store) if on_finished else None)
    jobs = book.open_jobs()
    for ledger in book.ledgers:
        ledger.show()
    book.on_ended()
    if jobs:
        _train(plan, book, view, ListSource(jobs), halt, function)
    for part, ledger in zip(plan.parts, book.ledgers, strict=True):
        gather_predictions(ledger.records.values(), _predictions(plan, part))
        record_targets(ledger)
    found = (trial for part in plan.parts for trial in store.trials(part.name, Phase.CONFIRM))
    return StudyResult(plan, halt.ended, tuple(found), halt.alike)


def _train(
    plan: StudyPlan,
    book: StudyBook,
    view: StudyView,
    source: ListSource,
    halt: Halt,
    function: TrialFunction | None,
) -> None:
    ray = session(
        plan.folder, plan.options, plan.resources, plan.data, halt, function, say=view.say
    )
    with ray as runner, view:
        runner.run(source, book)


def _predictions(plan: StudyPlan, part: PartPlan) -> Path:
    """One file a part: trials of several parts have the same numbers."""
    if len(plan.parts) == 1:
        return plan.folder.predictions
    return plan.folder.path / f"predictions-{part.part.dataset}-{part.protocol}.parquet"


def _record(plan: StudyPlan, part: PartPlan, command: str) -> SweepRecord:
    return SweepRecord(
        name=part.name,
        space=plan.study.name,
        space_definition=plan.study.as_dict(),
        dataset=part.info.name,
        fingerprint=part.data.fingerprint,
        split_hash=part.split_hash,
        metric=part.metric.name,
        protocol=part.protocol,
        method=METHOD,
        seed=0,
        trials=0,  # none is searched
        epochs=part.epochs,
        options=plan.recorded_options(part),
        versions=versions(),
        commit=commit(),
        command=command,
        created=now(),
    )
