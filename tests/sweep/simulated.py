"""A trial without training: a curve that its settings decide, in the contract of ``run_trial``."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import nan
from pathlib import Path

import pandas as pd

from pdf_search.config import TrialConfig
from pdf_search.records import EpochReport, Phase, ReplicateEpoch, State, TrialOutcome

FAILS, DIVERGES, DIES = 17, 18, 19  # batch sizes with a meaning
BREAK = 3  # the epoch at which they act
STATE = "state.json"

Save = Callable[[Path], None]


def error_at(config: TrialConfig, epoch: int) -> float:
    """Falls with the epochs towards a level that the learning rate and the width decide."""
    rate = config.at(epoch).training.learning_rate
    level = 1.0 + 100 * abs(rate - 2e-3) + 16 / config.model.hidden
    return level + 2.0 / epoch


def epoch_report(config: TrialConfig, epoch: int) -> EpochReport:
    value = error_at(config, epoch)
    test = value + 0.1 if config.phase is Phase.CONFIRM else None
    replicates = tuple(
        ReplicateEpoch(value, value + 0.001 * i, test) for i, _ in enumerate(config.replicates)
    )
    return EpochReport(epoch, config.at(epoch).training.learning_rate, replicates, 0.01, 1.0)


def simulated_trial(
    config: TrialConfig,
    data: object,
    report: Callable[[EpochReport, Save], None],
    resume: Path | None = None,
) -> TrialOutcome:
    """``SIMULATED_SECONDS``: of an epoch. ``SIMULATED_LOG``: a file that gets a line an epoch.

    ``SIMULATED_FAILS``: every trial fails before its first epoch. ``SIMULATED_HOLD``: see ``hold``.
    """
    assert data is not None
    first = json.loads((resume / STATE).read_text())["epoch"] + 1 if resume is not None else 1
    for epoch in range(first, config.epochs + 1):
        time.sleep(float(os.environ.get("SIMULATED_SECONDS", "0")))
        wait_while_held(config, epoch)
        if os.environ.get("SIMULATED_FAILS"):
            raise OSError(f"no library of version {config.model.hidden}\nits details")
        if epoch == BREAK and config.training.batch_size == FAILS:
            raise ValueError("boom in epoch 3")
        if epoch == BREAK and config.training.batch_size == DIES:
            os._exit(1)
        if epoch == BREAK and config.training.batch_size == DIVERGES:
            report(diverged(config, epoch), saver(config, epoch))
            return TrialOutcome(State.DIVERGED, epoch, "train_loss is nan")
        log(config, epoch)
        report(epoch_report(config, epoch), saver(config, epoch))
    return TrialOutcome(State.COMPLETE, config.epochs)


@contextmanager
def hold(file: Path, phase: Phase) -> Iterator[None]:
    """Meanwhile a trial of the phase waits in epoch 3, all but the first one that came there.

    The trials are in processes whose ``SIMULATED_HOLD`` is the file.
    """
    file.write_text(phase)
    try:
        yield
    finally:
        file.unlink()


def wait_while_held(config: TrialConfig, epoch: int) -> None:
    file = Path(os.environ.get("SIMULATED_HOLD", "/none"))
    if epoch != BREAK or not _held(file, config.phase):
        return
    try:
        file.with_name(f"{file.name}.{config.phase}").touch(exist_ok=False)
    except FileExistsError:
        while _held(file, config.phase):
            time.sleep(0.05)


def _held(file: Path, phase: Phase) -> bool:
    try:
        return file.read_text() == phase
    except FileNotFoundError:
        return False


def diverged(config: TrialConfig, epoch: int) -> EpochReport:
    replicates = tuple(ReplicateEpoch(nan, nan) for _ in config.replicates)
    return EpochReport(epoch, 0.0, replicates, 0.01, 1.0)


def saver(config: TrialConfig, epoch: int) -> Save:
    def save(folder: Path) -> None:
        (folder / STATE).write_text(json.dumps({"epoch": epoch}))
        if config.phase is Phase.CONFIRM:
            rows = {"split": ["test"], "index": [0], "task": [0], "replicate": [0]}
            table = pd.DataFrame(rows).assign(target=1.0, prediction=error_at(config, epoch))
            table.to_parquet(folder / "predictions.parquet")

    return save


def log(config: TrialConfig, epoch: int) -> None:
    file = os.environ.get("SIMULATED_LOG")
    if file:
        with Path(file).open("a") as stream:
            seen = f"gpus={os.environ.get('CUDA_VISIBLE_DEVICES')!r}"
            stream.write(f"{config.phase} {config.content_hash()} {epoch} {os.getpid()} {seen}\n")


def simulated_baseline(config: TrialConfig, data: object) -> EpochReport:
    assert data is not None
    replicates = tuple(ReplicateEpoch(nan, 9.0, 9.5) for _ in config.replicates)
    return EpochReport(0, 0.0, replicates, 0.0, 0.0)
