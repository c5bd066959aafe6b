"""A trained model out of its checkpoint, on the CPU, after a check that its data are the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data.prepared import Prepared
from pdf_search.data.splits import split_for
from pdf_search.errors import ConfigError
from pdf_search.model.network import PDFNetwork
from pdf_search.records import Phase, Replicate
from pdf_search.training.checkpoint import CHECKPOINT, identity, load_checkpoint
from pdf_search.training.run_folder import CONFIG


@dataclass(frozen=True)
class Trained:
    """Replicates of a trained model, in evaluation mode.

    ``epochs``: the epoch whose weights each replicate has; ``chosen``: "best validation epoch" or
    "last epoch".
    """

    config: TrialConfig
    data: Prepared
    model: PDFNetwork
    replicates: tuple[Replicate, ...]
    numbers: tuple[int, ...]  # of these replicates among those of the run
    epochs: tuple[int, ...]
    chosen: str

    def part(self, number: int = 0) -> tuple[str, np.ndarray]:
        """Name and graph numbers of the part to look at: validation, else test, else training."""
        split = split_for(self.data, self.config, self.replicates[number])
        parts = {"validation": split.valid, "test": split.test, "training": split.train}
        name = next(name for name, graphs in parts.items() if graphs is not None and len(graphs))
        graphs = parts[name]
        assert graphs is not None
        return name, graphs


def read_config(folder: Path) -> TrialConfig:
    """The configuration of a run of ``pdf-search train``.

    Raises:
        ConfigError: no such run, or a configuration that is not one.
    """
    file = folder / CONFIG
    try:
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError:
        raise ConfigError(
            f"{folder} holds no run of `pdf-search train` ({CONFIG} and {CHECKPOINT}): name its "
            "folder, or a sweep with --trial N"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{file}: not a configuration")
    return parse_trial(tree, str(file))


def load_trained(
    folder: Path, config: TrialConfig, data: Prepared, replicate: int | None = None
) -> Trained:
    """The model saved in ``folder``: one replicate, or all of them.

    The weights are those of each replicate's best validation epoch where the run kept them
    (confirmation under the protocols ``split`` and ``inner``), else those of the last epoch saved.

    Raises:
        ConfigError: no such replicate, or another architecture than PDF.
        TrialError: no checkpoint, a damaged one, or one of another configuration or data set.
    """
    if config.model.architecture != "pdf":
        raise ConfigError(
            f"{folder} is a run of architecture {config.model.architecture}; only PDF networks can "
            "be loaded"
        )
    state = load_checkpoint(folder, identity(config, data.fingerprint))
    count = len(config.replicates)
    if replicate is not None and not 0 <= replicate < count:
        raise ConfigError(f"--replicate {replicate}: the run has replicates 0..{count - 1}")
    numbers = tuple(range(count)) if replicate is None else (replicate,)
    selection: dict[str, Any] = state["selection"]
    best = config.phase is Phase.CONFIRM and bool(selection["weights"])
    weights = selection["weights"] if best else state["model"]
    epochs = selection["best_epoch"] if best else [state["epoch"]] * count
    shape = data.info.shape
    assert shape is not None, "a prepared data set knows its input shape"
    replicates = tuple(config.replicates[r] for r in numbers)
    model = PDFNetwork(config.model, shape, config.basis.size, replicates)
    model.load_state_dict({name: value[list(numbers)] for name, value in weights.items()})
    model.eval()
    chosen = "best validation epoch" if best else "last epoch"
    return Trained(
        config, data, model, replicates, numbers, tuple(epochs[r] for r in numbers), chosen
    )
