"""The confirm phase: the best trials are trained again on fresh seeds and tested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared
from pdf_search.records import (
    BASELINE,
    CONFIRM_OF,
    METRICS,
    RERUN_OF,
    EpochReport,
    Phase,
    State,
    TrialRecord,
)
from pdf_search.results import Store, rank_trials, summarise
from pdf_search.sweep.reruns import run_to_repeat
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.trial_log import TrialLog, now
from pdf_search.wording import counted

Baseline = Callable[[TrialConfig, Prepared], EpochReport]


def best_trials(store: Store, sweep: str, count: int) -> list[TrialRecord]:
    """The ``count`` best COMPLETE trials of the search, best first; fewer if there are not so many.

    They are ranked by the validation metric, never by the test metric. Reruns are not among them.
    """
    record = store.sweep(sweep)
    items = [  # one curve at a time: of a large search all together need much memory
        (trial, summarise(record, trial, store.epochs(sweep, Phase.SEARCH, trial.number)))
        for trial in store.trials(sweep, Phase.SEARCH)
        if trial.state is State.COMPLETE and not trial.is_rerun
    ]
    ranked = rank_trials(METRICS[record.metric], items)
    return [trial for trial, summary in ranked if summary.mean is not None][:count]


def shortfall(found: int, wanted: int) -> str:
    """What to tell if fewer trials were found than should be confirmed; "" if there are enough."""
    if found >= wanted:
        return ""
    if not found:
        return "no trial of the search is COMPLETE with a value: nothing was confirmed"
    return (
        f"only {counted(found, 'trial')} of the search {'is' if found == 1 else 'are'} COMPLETE: "
        f"{found} confirmed instead of {wanted}"
    )


def confirm_jobs(
    chosen: Sequence[TrialRecord],
    trial_log: TrialLog,
    build: Callable[[Mapping[str, Any]], TrialConfig],
) -> list[Job]:
    """The jobs that train each chosen trial on the seeds that it lacks, in the given order.

    A configuration has a seed if one of its rows has it, also an unfinished or DIVERGED one, since
    that would diverge again. A FAILED row and a rerun are not counted.
    """
    number = max(trial_log.records, default=-1) + 1
    there = _seeds(r for r in trial_log.records.values() if r.state is not State.FAILED)
    jobs = []
    for trial in chosen:
        config = build(trial.config)
        known = there.setdefault(_but_seeds(config), set())
        missing = tuple(seed for seed in config.seeds if seed not in known)
        if not missing:
            continue
        config = config.model_copy(update={"seeds": missing})
        origin = f"{CONFIRM_OF}{trial.number}"
        jobs.append(Job(Phase.CONFIRM, number, config, origin, trial.params))
        known.update(missing)
        number += 1
    return jobs


def confirmed_already(
    chosen: Sequence[TrialRecord],
    trial_log: TrialLog,
    build: Callable[[Mapping[str, Any]], TrialConfig],
) -> list[str]:
    """A message for each chosen trial whose seeds are all in COMPLETE rows."""
    done = _seeds(r for r in trial_log.records.values() if r.state is State.COMPLETE)
    lines = []
    for trial in chosen:
        config = build(trial.config)
        seeds = done.get(_but_seeds(config), set())
        if seeds.issuperset(config.seeds):
            count = counted(len(seeds), "seed")
            folds = f" x {config.folds} folds" if config.folds else ""
            lines.append(f"trial {trial.number} is confirmed on {count}{folds} already")
    return lines


def changed_on_the_way(job: Job) -> str:
    """What to tell of a trial whose settings population based training changed; "" for others."""
    epochs = [str(change.after) for change in job.config.training.changes]
    if not epochs:
        return ""
    what = "learning rate, weight decay and dropout"
    return f"{job.origin}: {what} change after epoch {', '.join(epochs)}, as in the search"


def _seeds(records: Iterable[TrialRecord]) -> dict[str, set[int]]:
    """The seeds of each configuration over all its own rows, by the hash of ``_but_seeds``."""
    seeds: dict[str, set[int]] = {}
    for record in records:
        if not record.is_baseline and not record.is_rerun:
            config = parse_trial(record.config, "recorded trial")
            seeds.setdefault(_but_seeds(config), set()).update(config.seeds)
    return seeds


def _but_seeds(config: TrialConfig) -> str:
    """A hash that is the same for configurations that differ only in seeds, device and engine."""
    return config.model_copy(update={"seeds": (0,)}).content_hash()


def add_baseline(
    trial_log: TrialLog, config: TrialConfig, data: Prepared, predictor: Baseline | None
) -> None:
    """Record the mean or majority-class predictor, as epoch 0 of a trial of its own.

    Nothing happens if the phase has it already, whole. ``predictor`` None: that of ``training``.
    """
    found = [record for record in trial_log.records.values() if record.is_baseline]
    if any(record.state is State.COMPLETE and not record.epochs_done for record in found):
        return
    report = (predictor or _baseline_predictor())(config, data)
    number = found[0].number if found else max(trial_log.records, default=-1) + 1
    trial_log.planned(Job(Phase.CONFIRM, number, config, BASELINE))
    trial_log.going.discard(number)  # it runs here and now, so a stop finds it whole or not there
    trial_log.store.drop_epochs_after(trial_log.sweep, Phase.CONFIRM, number, 0)
    trial_log.store.add_epoch(trial_log.sweep, Phase.CONFIRM, number, report)
    record = replace(trial_log.records[number], parameters=0, epochs_done=0, checkpoint="")
    record = replace(record, device="cpu", started=now(), ended=now(), seconds=report.seconds)
    trial_log.save(replace(record, state=State.COMPLETE, message=""))


def _baseline_predictor() -> Baseline:
    from pdf_search.training import baseline_predictor  # noqa: PLC0415

    return baseline_predictor


def rerun_job(trial_log: TrialLog, number: int, device: str) -> Job:
    """The job that trains the configuration of a recorded trial once more, as a rerun of it.

    Raises:
        ConfigError: see ``run_to_repeat``.
    """
    record = run_to_repeat(trial_log.records, number, trial_log.phase)
    return Job(
        phase=trial_log.phase,
        number=max(trial_log.records) + 1,
        config=parse_trial({**record.config, "device": device}, "recorded trial"),
        origin=f"{RERUN_OF}{number}",
        params=record.params,
    )
