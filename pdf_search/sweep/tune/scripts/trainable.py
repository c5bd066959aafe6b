"""The trial of a space as a trainable of Ray Tune, for any of its schedulers and searchers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from statistics import fmean
from typing import Any

from ray import tune
from ray.tune import Checkpoint

from pdf_search.config import Change, TrialConfig, parse_trial, with_stop_epoch
from pdf_search.data import CompactBases, Progress, load_prepared, prepare
from pdf_search.errors import ConfigError
from pdf_search.records import METRICS, EpochReport, Phase, State
from pdf_search.space import Choice, Parameter, Space
from pdf_search.sweep.tune.scripts.domains import check_space, point

Train = Callable[[dict[str, Any]], None]
Save = Callable[[Path], None]
TRIAL = "trial.json"  # in a checkpoint: the configuration that it is of
CHANGED = {"training": {"learning_rate", "weight_decay"}, "model": {"dropout"}}


def trainable(
    space: Space,
    *,
    seeds: tuple[int, ...] = (0,),
    epochs: int | None = None,
    checkpoint_every: int = 1,
    data_root: Path | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Train:
    """A function trainable for ``ray.tune.Tuner``; it trains one point of the space.

    Each epoch reports ``epoch``, ``valid`` (mean of the space's metric over the seeds or folds, and
    by the metric's name too), ``train_loss`` and ``seconds``, with a checkpoint after every
    ``checkpoint_every`` epochs, so that schedulers can pause and clone trials. A trial that
    diverged, whose metric is undefined, or that is outside the limits of the space reports the
    worst value, an infinite one. The test part is not loaded. Schedulers that change settings on
    the way may change learning rate, weight decay and dropout.

    Args:
        space: The space; its data are prepared now.
        seeds: The seeds of each trial, trained together.
        epochs: Cut every trial here; schedules stay. By default as the space says.
        checkpoint_every: After how many epochs a checkpoint is due.
        data_root: The folder with raw files, for data sets by name.
        cache: The folder for prepared data.
        progress: Called with a sentence about each step of preparing.

    Raises:
        DataError: the data set cannot be prepared.
        ConfigError: ``space`` is none.
    """
    check_space(space)
    example = space.config(space.sample(_first))
    folder = prepare(example.data, data_root, cache, progress=progress)
    work = _Work(space.as_dict(), folder, seeds, epochs or space.defaults.epochs, checkpoint_every)

    # Defined here so that it travels by value, without the script that called.
    def train(config: dict[str, Any]) -> None:
        work.train(config)

    return train


@dataclass(frozen=True)
class _Work:
    space: dict[str, Any]
    data: Path
    seeds: tuple[int, ...]
    epochs: int
    every: int

    def train(self, values: dict[str, Any]) -> None:
        from pdf_search.training import run_trial  # noqa: PLC0415

        space, data = Space.from_dict(self.space), load_prepared(self.data)
        metric = METRICS[space.defaults.metric]
        worst = inf if metric.mode == "min" else -inf
        config = self._config(space, values)
        shape = data.info.shape
        assert shape is not None
        if broken := space.violations(config, shape):
            tune.report({"epoch": 0, "valid": worst, metric.name: worst, "why": broken[0]})
            return
        config = CompactBases(data, config).resolved(config)

        def report(epoch: EpochReport, save: Save) -> None:
            value = epoch.valid
            value = worst if value is None or not isfinite(value) else value
            loss = fmean(replicate.train_loss for replicate in epoch.replicates)
            found = {"epoch": epoch.epoch, "valid": value, metric.name: value}
            found |= {"train_loss": loss, "seconds": epoch.seconds}
            if epoch.epoch % self.every and epoch.epoch != config.epochs:
                tune.report(found)
                return
            with tempfile.TemporaryDirectory() as name:
                save(Path(name))
                (Path(name) / TRIAL).write_text(config.model_dump_json(), encoding="utf-8")
                tune.report(found, checkpoint=Checkpoint.from_directory(name))

        with _begun() as folder:
            if folder is not None:
                config = continued(folder, config)
            outcome = run_trial(config, data, report, folder)
        if outcome.state is not State.COMPLETE:
            end = {"epoch": outcome.epochs, "valid": worst, metric.name: worst}
            tune.report(end | {"why": outcome.message})

    def _config(self, space: Space, values: Mapping[str, Any]) -> TrialConfig:
        tree = space.trial(point(space, values)) | {"phase": Phase.SEARCH, "seeds": self.seeds}
        return parse_trial(with_stop_epoch(tree, self.epochs), f"space {space.name}")


@contextmanager
def _begun() -> Iterator[Path | None]:
    """The folder of the checkpoint that Tune starts this trial from; None for none."""
    checkpoint = tune.get_checkpoint()
    if checkpoint is None:
        yield None
        return
    with checkpoint.as_directory() as name:
        yield Path(name)


def continued(folder: Path, config: TrialConfig) -> TrialConfig:
    """The configuration of the checkpoint, with the settings of ``config`` from its epoch on.

    Raises:
        ConfigError: they differ in more than ``CHANGED``.
    """
    from pdf_search.training import load_checkpoint  # noqa: PLC0415

    saved = parse_trial(json.loads((folder / TRIAL).read_text(encoding="utf-8")), str(folder))
    epoch = int(load_checkpoint(folder, {})["epoch"])
    now = saved.at(epoch + 1)
    if _without_changed(now) != _without_changed(config):
        raise ConfigError(
            "the scheduler changed settings that cannot change on the way: let it change only "
            "training.learning_rate, training.weight_decay and model.dropout"
        )
    wanted = config.training.learning_rate, config.training.weight_decay, config.model.dropout
    if wanted == (now.training.learning_rate, now.training.weight_decay, now.model.dropout):
        return saved
    rate, decay, dropout = wanted
    change = Change(after=epoch, learning_rate=rate, weight_decay=decay, dropout=dropout)
    changes = (*(c for c in saved.training.changes if c.after < epoch), change)
    training = saved.training.model_copy(update={"changes": changes})
    return saved.model_copy(update={"training": training})


def _without_changed(config: TrialConfig) -> dict[str, Any]:
    return config.unchanged.model_dump(exclude={**CHANGED, "stop_epoch": True, "device": True})


def _first(parameter: Parameter) -> Any:
    domain = parameter.domain
    return domain.values[0] if isinstance(domain, Choice) else domain.low
