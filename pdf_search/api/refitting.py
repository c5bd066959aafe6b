"""Trains a configuration anew on all labelled data, once its score is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.records import EpochReport, Phase, Protocol, State
from pdf_search.training import Save, run_trial

REFIT_SEEDS = 4  # of a configuration that was evaluated on folds, so that it keeps a spread
_NONE = np.empty(0, np.int64)


def refit_config(config: TrialConfig, epochs: int) -> TrialConfig:
    """The configuration of a refit: without folds, for so many epochs of the same schedule."""
    first = config.seeds[0]
    seeds = config.seeds if config.folds is None else tuple(range(first, first + REFIT_SEEDS))
    data = config.data.model_copy(update={"train_fraction": 1.0})
    return config.model_copy(
        update={
            "data": data,
            "protocol": Protocol.SPLIT,
            "phase": Phase.SEARCH,  # nothing is left to test on
            "folds": None,
            "seeds": seeds,
            "stop_epoch": epochs,
        }
    )


def refit(
    config: TrialConfig,
    data: Prepared,
    folder: Path,
    see: Callable[[EpochReport], object] = lambda _: None,
) -> None:
    """Train ``config``, made by ``refit_config``, on all graphs; its checkpoint is in ``folder``.

    Raises:
        TrialError: it diverged, or cannot be trained as configured.
    """
    parts = {"train": np.arange(len(data.graphs)), "valid": _NONE, "test": _NONE}

    def report(epoch: EpochReport, save: Save) -> None:
        see(epoch)
        if epoch.epoch == config.epochs:
            save(folder)

    outcome = run_trial(config, replace(data, official=parts), report)
    if outcome.state is not State.COMPLETE:
        raise TrialError(f"the refit is {outcome.state.value}: {outcome.message}")
