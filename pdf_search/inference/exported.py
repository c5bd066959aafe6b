"""An exported model: a folder of plain files that predicts without the run that it came from."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

import pdf_search
from pdf_search.config import TrialConfig, parse_trial
from pdf_search.errors import ConfigError, FullDiskError
from pdf_search.full_disk import full_words, is_full
from pdf_search.inference.calibration import Calibration
from pdf_search.inference.load import Trained, built_model
from pdf_search.paths import check_new_folder
from pdf_search.training import ModelFacts

WEIGHTS = "model.safetensors"
CONFIG = "config.json"
FACTS = "facts.json"
CARD = "README.md"
_FORMAT = 1
_MODEL = "model."  # before the names of the weights; mean and std stand beside them


def is_exported(folder: Path) -> bool:
    """Whether a folder holds an exported model."""
    return (folder / WEIGHTS).is_file() and (folder / FACTS).is_file()


def write_model(trained: Trained, folder: Path, card: str) -> None:
    """Write a model and its card into a new folder; nothing is left of one that fails.

    Paths of this machine are left out.

    Raises:
        ConfigError: the folder holds something already, or cannot be written.
        FullDiskError: its disk is full.
    """
    with _new_folder(folder) as part:
        config = _portable(trained.config).model_dump(mode="json")
        state = trained.facts.state()
        weights = trained.model.state_dict()
        tensors = {f"{_MODEL}{name}": value.contiguous() for name, value in weights.items()}
        tensors |= {"mean": state["mean"], "std": state["std"]}
        # Written by ourselves: safetensors would let nobody else read the file.
        (part / WEIGHTS).write_bytes(save(tensors))
        _write_json(part / CONFIG, config)
        _write_json(part / FACTS, _facts(trained, json.loads(state["about"])))
        (part / CARD).write_text(card, encoding="utf-8")


def load_exported(folder: Path) -> Trained:
    """Load an exported model onto the CPU; nothing in the folder is executed.

    Raises:
        ConfigError: there is no such model, or it is damaged or of another version.
    """
    if not is_exported(folder):
        raise ConfigError(
            f"{folder} holds no exported model ({WEIGHTS} and {FACTS}): export one with "
            "`pdf-search export RUN --to FOLDER`"
        )
    try:
        about = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        if about["format"] != _FORMAT:
            raise ValueError(f"format {about['format']}, this version reads {_FORMAT}")
        tree = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        config = parse_trial(tree, str(folder / CONFIG))
        tensors = load_file(folder / WEIGHTS)
        return _trained(config, about, tensors)
    except (OSError, KeyError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        raise ConfigError(f"{folder}: the exported model cannot be read ({error})") from None


def _trained(config: TrialConfig, about: dict[str, Any], tensors: dict[str, Tensor]) -> Trained:
    scale = {name: tensors.pop(name) for name in ("mean", "std")}
    state = {"facts": {"about": json.dumps(about["data"]), **scale}, "data": about["fingerprint"]}
    facts = ModelFacts.read(state)
    assert facts is not None
    weights = {name.removeprefix(_MODEL): value for name, value in tensors.items()}
    calibration = about["calibration"]
    count = len(config.replicates)
    return Trained(
        config,
        facts,
        built_model(config, facts, weights, tuple(range(count))),
        config.replicates,
        tuple(range(count)),
        tuple(about["epochs"]),
        about["chosen"],
        calibration=calibration and Calibration(**calibration),
    )


def _facts(trained: Trained, data: dict[str, Any]) -> dict[str, Any]:
    """What ``load_exported`` needs besides the configuration and the weights."""
    calibration = trained.calibration
    if calibration is not None and calibration.why_not:
        calibration = Calibration(why_not=calibration.why_not, before=0.0, after=0.0)  # no nan
    return {
        "format": _FORMAT,
        "pdf_search": pdf_search.__version__,
        "torch": torch.__version__,
        "fingerprint": trained.facts.fingerprint,
        "epochs": trained.epochs,
        "chosen": trained.chosen,
        "calibration": calibration and asdict(calibration),
        "data": {**data, "prepared": ""},
    }


def _portable(config: TrialConfig) -> TrialConfig:
    """The configuration with the name alone of the user's file."""
    path = config.data.path
    if path is None:
        return config
    data = config.data.model_copy(update={"path": Path(path).name})
    return config.model_copy(update={"data": data, "device": "auto"})


def _write_json(file: Path, tree: dict[str, Any]) -> None:
    file.write_text(json.dumps(tree, indent=1, allow_nan=False) + "\n", encoding="utf-8")


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder beside ``folder`` to be filled in the block; it takes its place afterwards."""
    check_new_folder(folder, "--to")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = folder.with_name(f".{folder.name}-{secrets.token_hex(4)}")
        part.mkdir()
        try:
            yield part
            part.replace(folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        if is_full(error):
            raise FullDiskError(
                f"--to {folder}: {full_words(folder)}. Make room, or name a folder on another disk"
            ) from None
        raise ConfigError(
            f"--to {folder}: cannot be written ({error.strerror}); name another folder"
        ) from None
