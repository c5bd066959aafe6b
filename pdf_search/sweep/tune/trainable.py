"""The function trainable that a Ray worker runs; it calls ``run_trial``, which knows no tuner."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import traceback
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import ray
from ray import tune

from pdf_search.config import BasisConfig, TrialConfig, parse_trial
from pdf_search.data import Prepared, load_prepared
from pdf_search.errors import PdfSearchError, ResourceError
from pdf_search.full_disk import full_words, is_full
from pdf_search.records import EpochReport, State, TrialOutcome
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.payload import DATA, LEFT, RESUME, TRIAL, pack_end
from pdf_search.sweep.tune.reporter import Reporter, Save, SavesAtItsEnd, trains_here

Report = Callable[[EpochReport, Save], None]
TrialFunction = Callable[[TrialConfig, Prepared, Report, Path | None], TrialOutcome]

logger = logging.getLogger(__name__)
_loaded: dict[str, Prepared] = {}


@dataclass(frozen=True)
class Shared:
    """What all trials of a phase have in common.

    ``data`` are the data sets, by the name that jobs give; a sweep has one, named "". A worker on
    this machine gets the folder of the prepared arrays and maps them. Workers on other machines
    get the data set itself from the object store. ``function`` trains one trial; None means
    ``run_trial``. ``rungs`` are epochs that end with a checkpoint. ``bases`` are those of all
    trials, so that the trial that computes a bank computes it for all. ``timeout``: seconds without
    an epoch after which a worker ends.
    """

    data: Mapping[str, str | Prepared]
    cpus: int
    gpus: float
    checkpoint_seconds: float
    function: TrialFunction | None = None
    rungs: tuple[int, ...] = ()
    bases: tuple[BasisConfig, ...] = ()
    timeout: float = inf


def train(config: dict[str, Any], shared: Shared) -> None:
    """Train one trial. The results of epochs and the outcome are reported through Ray.

    On the CPU an exception becomes the outcome FAILED; with a GPU it is raised. A full disk becomes
    the outcome INTERRUPTED.
    """
    trains_here()
    prepare_process(shared)
    trial = parse_trial(json.loads(config[TRIAL]))
    function = shared.function or _run_trial()
    keep = partial(checkpoints.put, storage=tune.get_context().get_storage())
    reporter = Reporter(
        trial,
        (*shared.rungs, trial.epochs),
        shared.checkpoint_seconds,
        _device(shared.gpus, trial.precision),
        keep,
        config[LEFT],
        shared.timeout,
    )
    try:
        with reporter.watched(), ExitStack() as stack:
            resume = config[RESUME]
            folder = stack.enter_context(checkpoints.local_copy(resume)) if resume else None
            data = replace(_data(shared.data[config[DATA]]), bases=shared.bases)
            outcome = run_or_restart(function, trial, data, reporter, folder)
    except Exception as error:
        if is_full(error):
            tune.report(pack_end(TrialOutcome(State.INTERRUPTED, reporter.epoch, _full(error))))
            return
        if shared.gpus:
            raise  # the GPU may be unusable for this process now, so Ray has to replace it
        message = f"{type(error).__name__}: {error}"
        trace = "" if isinstance(error, PdfSearchError) else traceback.format_exc()
        outcome = TrialOutcome(State.FAILED, reporter.epoch, message, trace)
    tune.report(pack_end(outcome))


train.__mixins__ = (SavesAtItsEnd,)  # type: ignore[attr-defined]  # Tune's trainable inherits it


def run_or_restart(
    function: TrialFunction,
    trial: TrialConfig,
    data: Prepared,
    report: Report,
    resume: Path | None,
) -> TrialOutcome:
    """Train a trial from its checkpoint on, or from the start if it cannot be read."""
    if resume is None:
        return function(trial, data, report, None)
    from pdf_search.training import CheckpointError  # noqa: PLC0415

    try:
        return function(trial, data, report, resume)
    except CheckpointError as error:
        logger.warning("%s The trial starts over.", error)
        outcome = function(trial, data, report, None)
        words = filter(None, (outcome.message, "its checkpoint could not be read: it started over"))
        return replace(outcome, message="; ".join(words))


def prepare_process(shared: Shared) -> None:
    """Hide the GPUs from a CPU trial, choose that of a GPU trial, and set torch's threads.

    A trial that gets a fraction of a GPU gets that fraction of its memory too. All of it must come
    before torch initialises CUDA, and in the thread that trains.
    """
    if not shared.gpus:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    if shared.function is None:
        import torch  # noqa: PLC0415

        torch.set_num_threads(shared.cpus)
        if shared.gpus and torch.cuda.is_available():  # if not, the trial says what is missing
            visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
            torch.cuda.set_device(gpu_number(visible, str(ray.get_gpu_ids()[0])))
            torch.cuda.set_per_process_memory_fraction(float(shared.gpus))


def gpu_number(visible: str, assigned: str) -> int:
    """The number by which torch knows the GPU that Ray assigned to a trial.

    Usually Ray lets a worker see that one alone; some clusters keep ``CUDA_VISIBLE_DEVICES`` as it
    is (``visible``), so that a worker sees them all.

    Raises:
        ResourceError: the worker does not see it.
    """
    seen = visible.split(",") if visible else []
    if assigned in seen:
        return seen.index(assigned)
    if seen or not assigned.isdigit():
        raise ResourceError(
            f"Ray assigned GPU {assigned}, and CUDA_VISIBLE_DEVICES={visible} does not list it. "
            "Leave that variable to Ray on the nodes of the cluster."
        )
    return int(assigned)


def _full(error: Exception) -> str:
    """The message that a disk is full: our own error's, else checkpoints' or temporary files'."""
    if isinstance(error, PdfSearchError):
        return str(error)
    storage = tune.get_context().get_storage().storage_fs_path
    return full_words(*filter(os.path.isdir, (storage, tempfile.gettempdir())))


def _run_trial() -> TrialFunction:
    from pdf_search.training import run_trial  # noqa: PLC0415

    return run_trial


def _data(data: str | Prepared) -> Prepared:
    if not isinstance(data, str):
        return data
    if data not in _loaded:
        _loaded.clear()
        _loaded[data] = load_prepared(Path(data))
    return _loaded[data]


def _device(gpus: float, precision: str) -> str:
    if not gpus:
        return "cpu"
    from pdf_search.training import device_label  # noqa: PLC0415

    return device_label(precision)
