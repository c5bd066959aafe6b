"""A single trial in a folder of its own: configuration, curve, checkpoint, predictions."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from pdf_search.atomic import whole_file
from pdf_search.config import VERSIONS, TrialConfig, parse_trial
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.records import EpochReport, Replicate, ReplicateEpoch, TrialOutcome
from pdf_search.training.artifacts.checkpoint import CHECKPOINT
from pdf_search.training.trial import Save, run_trial

CONFIG = "config.yaml"
CURVE = "curve.csv"
COLUMNS = (
    "epoch",
    "learning_rate",
    "seconds",
    "peak_mb",
    "replicate",
    "seed",
    "fold",
    "train_loss",
    "valid",
    "test",
)
SAVE_SECONDS = 30.0  # a checkpoint is due this long after the last one
FREE = {"device", "engine", "precision"}  # may change when a run is continued

See = Callable[[EpochReport], bool]  # True: stop after this epoch, to be continued later


class _StopAskedError(Exception):
    pass


@dataclass
class RunFolder:
    """The folder of a single trial: ``config.yaml``, ``curve.csv``, ``checkpoint.pt``, predictions.

    Predictions are written only when confirming. ``curve``: every epoch trained so far, also those
    of earlier runs.
    """

    path: Path
    curve: list[EpochReport] = field(default_factory=list)

    def train(
        self, config: TrialConfig, data: Prepared, see: See, resume: bool = False
    ) -> TrialOutcome | None:
        """Train to the last epoch; returns None if ``see`` asked to stop before, with all saved.

        ``see`` gets each epoch's report and returns True to stop after it. ``resume``: continue
        after the checkpoint of an earlier run, if there is one.

        Raises:
            TrialError: the earlier run has another configuration or cannot be read, or the trial
                cannot be trained as configured.
            ResourceError: the device does not exist.
        """
        if resume:
            _check_same(self.path / CONFIG, config)
        self.path.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
        continued = resume and (self.path / CHECKPOINT).is_file()
        earlier = read_curve(self.path / CURVE) if continued else []
        if not continued:
            with whole_file(self.path / CONFIG) as path:
                path.write_text(text, "utf-8")
        self.curve = earlier
        saved = time.monotonic()

        def report(epoch: EpochReport, save: Save) -> None:
            nonlocal saved
            self.curve = [known for known in self.curve if known.epoch < epoch.epoch] + [epoch]
            self._write_curve(config.replicates)
            stop = see(epoch)
            due = time.monotonic() - saved >= SAVE_SECONDS
            if stop or due or epoch.epoch == config.epochs:
                save(self.path)
                saved = time.monotonic()
            if stop and epoch.epoch < config.epochs:
                raise _StopAskedError

        try:
            return run_trial(config, data, report, self.path if continued else None)
        except _StopAskedError:
            return None

    def _write_curve(self, replicates: Sequence[Replicate]) -> None:
        with whole_file(self.path / CURVE) as path:
            _write_curve(path, self.curve, replicates)


def with_versions_of(folder: Path, config: TrialConfig) -> TrialConfig:
    """The configuration with the versions of featuriser and split that the run began with.

    Raises:
        TrialError: the recorded configuration cannot be read.
    """
    earlier = _recorded(folder / CONFIG).data
    data = config.data.model_copy(update={name: getattr(earlier, name) for name in VERSIONS})
    return config.model_copy(update={"data": data})


def with_bases_of(folder: Path, config: TrialConfig) -> TrialConfig:
    """The configuration with the bases that the run keeps of the grid of ``select: compact``.

    It stays as it is where the run's bases are not among its own.

    Raises:
        TrialError: the recorded configuration cannot be read.
    """
    if config.basis.select == "full":
        return config
    kept = _recorded(folder / CONFIG).basis
    return config.model_copy(update={"basis": kept}) if config.basis.covers(kept) else config


def _recorded(file: Path) -> TrialConfig:
    """Read the configuration that a run recorded."""
    try:
        return parse_trial(yaml.safe_load(file.read_text(encoding="utf-8")), str(file))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise TrialError(f"{file}: cannot be read ({error}). Start the trial anew.") from error


def _check_same(file: Path, config: TrialConfig) -> None:
    """Check that the run began with the settings of ``config``.

    Raises:
        TrialError: some differ; the message names them.
    """
    # A run without a checkpoint has only this file to tell what it is.
    if not file.is_file():
        return
    earlier = _recorded(file)
    # The budget may grow when a stopped trial is continued.
    earlier, now = (c.model_copy(update={"stop_epoch": None}) for c in (earlier, config))
    if earlier.content_hash() == now.content_hash():
        return
    old, new = (_flat(c.model_dump(mode="json", exclude=FREE)) for c in (earlier, now))
    names = sorted(name for name in old | new if old.get(name) != new.get(name))
    changes = "; ".join(f"{name} was {old.get(name)}, now {new.get(name)}" for name in names)
    raise TrialError(
        f"{file}: saved with configuration other than this one ({changes}). "
        "Restore the old settings, or train under another name."
    )


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The leaves of a tree by their dotted paths."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def _write_curve(path: Path, curve: Sequence[EpochReport], replicates: Sequence[Replicate]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for report in curve:
            head = (report.epoch, report.learning_rate, report.seconds, report.peak_mb)
            for number, (who, values) in enumerate(zip(replicates, report.replicates, strict=True)):
                scores = (values.train_loss, values.valid, values.test)
                writer.writerow((*head, number, who.seed, who.fold, *scores))


def read_curve(path: Path) -> list[EpochReport]:
    """Read the epochs of a ``curve.csv``.

    Raises:
        TrialError: it is missing or damaged.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        groups = groupby(rows, key=lambda row: row["epoch"])
        return [_epoch(list(group)) for _, group in groups]
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise TrialError(f"{path}: cannot be read ({error}). Start the trial anew.") from error


def _epoch(rows: list[dict[str, str]]) -> EpochReport:
    head = rows[0]
    return EpochReport(
        int(head["epoch"]),
        float(head["learning_rate"]),
        tuple(
            ReplicateEpoch(float(r["train_loss"]), _number(r["valid"]), _number(r["test"]))
            for r in rows
        ),
        float(head["seconds"]),
        float(head["peak_mb"]),
    )


def _number(text: str) -> float | None:
    return float(text) if text else None
