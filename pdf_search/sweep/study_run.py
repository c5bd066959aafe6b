"""A study as it runs: several listed sweeps in one Ray session, with one trial log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from rich.console import Console

from pdf_search.config import VERSIONS, InputShape
from pdf_search.errors import ConfigError, StoreError
from pdf_search.records import Phase, State, SweepRecord
from pdf_search.results import Store, study_parts
from pdf_search.space import recorded_study
from pdf_search.sweep import checkpoints
from pdf_search.sweep.continuing import unfinished_jobs
from pdf_search.sweep.driver import Functions, SweepResult
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.halt import Halt
from pdf_search.sweep.jobs import Job, ListSource
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.predictions import gather_predictions
from pdf_search.sweep.record import new_record, refuse_changed_data, refuse_taken
from pdf_search.sweep.session import session
from pdf_search.sweep.study_plan import METHOD, PartPlan, StudyPlan
from pdf_search.sweep.study_view import StudyView
from pdf_search.sweep.targets import record_targets

MOST_CHANGES = 5  # of a refused study that are named
ORIGIN = "study: "


def run_listed(
    plan: StudyPlan, store: Store, command: str, console: Console | None, functions: Functions
) -> SweepResult:
    """Train what is not finished yet: everything at first. The caller holds the study's lock.

    Raises:
        ConfigError: it began with other settings. DataError: on other data.
        ResourceError: the cluster is not fit for it.
    """
    recorded = {record.name: record for record in study_parts(store, plan.name)}
    if recorded:
        _refuse_changed(plan, next(iter(recorded.values())), store)
    else:
        refuse_taken(store, plan.folder)
    for part in plan.parts:
        if part.name in recorded:
            refuse_changed_data(recorded[part.name], part.data.fingerprint, part.split_hash)
        else:
            store.create_sweep(_record(plan, part, command))
    halt = Halt(plan.options.time)
    view = StudyView(console or Console(stderr=True), partial(_tell, functions.on_finished, store))
    ledger = study_ledger(plan, store, view)
    jobs = open_jobs(plan, ledger)
    ledger.show()
    _tell(functions.on_finished, store)
    if jobs:
        _train(plan, ledger, view, jobs, halt, functions)
    for part in plan.parts:
        own = (record for record in ledger.records.values() if record.sweep == part.name)
        gather_predictions(own, plan.predictions(part))
    record_targets(ledger)
    found = [trial for part in plan.parts for trial in store.trials(part.name, Phase.CONFIRM)]
    return SweepResult(plan, halt.ended, [], found, (), halt.alike)


def _tell(on_finished: Callable[[Store], None] | None, store: Store) -> None:
    if on_finished is not None:
        on_finished(store)


def _train(
    plan: StudyPlan,
    ledger: Ledger,
    view: StudyView,
    jobs: list[Job],
    halt: Halt,
    functions: Functions,
) -> None:
    ray = session(
        plan.folder, plan.options, plan.resources, plan.data, halt, functions.trial, say=view.say
    )
    with ray as runner, view:
        runner.run(ListSource(jobs), ledger)


def study_ledger(plan: StudyPlan, store: Store, view: StudyView) -> Ledger:
    """The trial log of all parts."""
    for part in plan.parts:
        view.part(store.sweep(part.name), part.info.title)
    first, *others = plan.parts
    ledger = Ledger(
        store, first.name, Phase.CONFIRM, _shape(first), view, checkpoints.remove, None, plan.folder
    )
    for part in others:
        ledger.add(part.name, _shape(part), plan.first(part))
    return ledger


def _shape(part: PartPlan) -> InputShape:
    assert part.info.shape is not None
    return part.info.shape


def open_jobs(plan: StudyPlan, ledger: Ledger) -> list[Job]:
    """A job for each run that has not ended well, planned runs included, in order.

    Every run is planned before the first one starts. A FAILED run is tried again, from its
    checkpoint if it has one.
    """
    for part in plan.parts:
        for number, (row, config) in part.part.trained.items():
            placed = config.model_copy(update={"device": part.device})
            ledger.planned(Job(Phase.CONFIRM, plan.first(part) + number, placed, ORIGIN + row))
    for record in list(ledger.records.values()):
        if record.state is State.FAILED:
            ledger.save(replace(record, state=State.NOT_STARTED, message="", ended=""))
    data = {part.name: part.part.dataset for part in plan.parts}
    jobs = unfinished_jobs(ledger, plan.parts[0].device, checkpoints.epoch_of)
    jobs.sort(key=lambda job: job.number)
    return [replace(job, data=data[ledger.records[job.number].sweep]) for job in jobs]


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
    return {name: max(getattr(row.config.data, name) for row in rows) for name in VERSIONS}


def _refuse_changed(plan: StudyPlan, recorded: SweepRecord, store: Store) -> None:
    # As a resume reads it: what was recorded without a key has the key's default.
    changes = plan.study.changes_from(recorded_study(recorded.space_definition).as_dict())
    if changes:
        more = len(changes) - MOST_CHANGES
        shown = "; ".join(changes[:MOST_CHANGES]) + (f"; and {more} more" if more > 0 else "")
        raise ConfigError(
            f"study {plan.name} in {store.place} began with other settings ({shown}). Go on with "
            f"it as it began: {plan.folder.how_to_resume}; or give another --out or --name"
        )


def _record(plan: StudyPlan, part: PartPlan, command: str) -> SweepRecord:
    return new_record(
        part,
        command,
        name=part.name,
        space=plan.study.name,
        space_definition=plan.study.as_dict(),
        protocol=part.part.protocol,
        method=METHOD,
        seed=0,
        trials=0,  # none is searched
        options=plan.recorded_options(part),
    )
