"""Runs a study: several listed sweeps in one Ray session, with one trial log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from signal import SIGINT

from rich.console import Console

from pdf_search.config import VERSIONS, InputShape
from pdf_search.errors import ConfigError, StoreError
from pdf_search.records import Phase, State, SweepRecord
from pdf_search.results import Patience, Store, study_parts
from pdf_search.space import recorded_study
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.confirmed_predictions import (
    gather_predictions,
    record_measured,
)
from pdf_search.sweep.driver import Functions, SweepResult
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.samplers.jobs import Job, ListSource
from pdf_search.sweep.study_plan import METHOD, PartPlan, StudyPlan
from pdf_search.sweep.trial_log.live_view import print_line
from pdf_search.sweep.trial_log.recovery import remove_leftovers, reopen, unfinished_jobs
from pdf_search.sweep.trial_log.study_progress import StudyView
from pdf_search.sweep.trial_log.sweep_record import new_record, refuse_changed_data
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.runner import open_runner
from pdf_search.sweep.tune.trainable import Shared

MOST_CHANGES = 5  # changed settings that the refusal of a study names
ORIGIN = "study: "


def run_listed(
    plan: StudyPlan, store: Store, command: str, console: Console | None, functions: Functions
) -> SweepResult:
    """Train the runs of a study that are not finished yet. The caller holds the study's lock.

    Raises:
        ConfigError: the study began with other settings, or its name is taken.
        DataError: it began with other data.
        ResourceError: the cluster cannot run it.
    """
    recorded = {record.name: record for record in study_parts(store, plan.name)}
    if recorded:
        _refuse_changed(plan, next(iter(recorded.values())), store)
    else:
        plan.folder.refuse_taken(store)
    for part in plan.parts:
        if part.name in recorded:
            refuse_changed_data(recorded[part.name], part.data.fingerprint, part.split_hash)
        else:
            store.create_sweep(_record(plan, part, command))
    stop_condition = StopCondition(plan.options.time)
    store.patience = Patience(partial(print_line, console or Console(stderr=True)))
    view = StudyView(console or Console(stderr=True), partial(_tell, functions.on_finished, store))
    trial_log = study_trial_log(plan, store, view)
    jobs = open_jobs(plan, trial_log)
    trial_log.show()
    if jobs:
        _tell(functions.on_finished, store)
        _train(plan, trial_log, view, jobs, stop_condition, functions)
    for part in plan.parts:
        own = (record for record in trial_log.records.values() if record.sweep == part.name)
        gather_predictions(own, plan.predictions(part))
    record_measured(trial_log)
    found = [trial for part in plan.parts for trial in store.trials(part.name, Phase.CONFIRM)]
    signal = stop_condition.signal or SIGINT
    return SweepResult(plan, stop_condition.ended, [], found, (), signal, stop_condition.alike)


def _tell(on_finished: Callable[[Store], None] | None, store: Store) -> None:
    if on_finished is not None:
        on_finished(store)


def _train(
    plan: StudyPlan,
    trial_log: TrialLog,
    view: StudyView,
    jobs: list[Job],
    stop_condition: StopCondition,
    functions: Functions,
) -> None:
    options, size = plan.options, plan.resources
    shared = Shared(
        plan.data,
        size.cpus,
        size.gpus,
        options.checkpoint_seconds,
        functions.trial,
        timeout=options.epoch_timeout,
    )
    folder, say = plan.folder, view.say
    with (
        open_runner(folder, options, size, shared, stop_condition, say) as runner,
        view,
        folder.resumable(),
    ):
        runner.run(ListSource(jobs), trial_log)


def study_trial_log(plan: StudyPlan, store: Store, view: StudyView) -> TrialLog:
    """The one trial log of all parts, whose runs are numbered through the parts."""
    for part in plan.parts:
        view.part(store.sweep(part.name), part.info.title)
    first, *others = plan.parts
    trial_log = TrialLog(
        store, first.name, Phase.CONFIRM, _shape(first), view, checkpoints.remove, None, plan.folder
    )
    for part in others:
        trial_log.add(part.name, _shape(part), plan.first(part))
    return trial_log


def _shape(part: PartPlan) -> InputShape:
    assert part.info.shape is not None
    return part.info.shape


def open_jobs(plan: StudyPlan, trial_log: TrialLog) -> list[Job]:
    """Record every run of the plan, and give a job for each that is still to be trained, in order.

    A FAILED run is tried again, from its checkpoint if it has one.
    """
    for part in plan.parts:
        for number, (row, config) in part.part.trained.items():
            placed = config.model_copy(update={"device": part.device})
            trial_log.planned(Job(Phase.CONFIRM, plan.first(part) + number, placed, ORIGIN + row))
    for number, record in list(trial_log.records.items()):
        if record.state is State.FAILED:
            reopen(trial_log, number)
    data = {part.name: part.part.dataset for part in plan.parts}
    saved = checkpoints.SavedIn(plan.folder.storage(plan.options.storage), Phase.CONFIRM)
    remove_leftovers(trial_log, saved)
    jobs = unfinished_jobs(trial_log, plan.parts[0].device, saved)
    jobs.sort(key=lambda job: job.number)
    return [replace(job, data=data[trial_log.records[job.number].sweep]) for job in jobs]


def begun_versions(folder: SweepFolder) -> dict[str, int]:
    """The ``featuriser`` and ``split_version`` of a recorded study; {} if there is none.

    A new version of these must not change a study that began with an older one.
    """
    try:
        with folder.open_store() as store:
            recorded = study_parts(store, folder.name)
    except StoreError:
        return {}
    if not recorded:
        return {}
    rows = recorded_study(recorded[0].space_definition).rows
    # A row may name an older version than the study began with. The study's file still names it,
    # so the newest of all rows is what the study began with.
    return {name: max(getattr(row.config.data, name) for row in rows) for name in VERSIONS}


def _refuse_changed(plan: StudyPlan, recorded: SweepRecord, store: Store) -> None:
    # The record is read as a resume reads it: a key that it lacks has its default value.
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
