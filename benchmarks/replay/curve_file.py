"""The recorded curves of a data set as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pdf_search.results.smoothed import WINDOW
from replay.recipes import EPOCHS, RECIPES, SETS

CURVES = Path(__file__).parents[1] / "curves"
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Curves:
    """Rewards of every recipe, seed and epoch: higher is better, whatever the metric.

    ``valid``, ``averaged`` (weights averaged over epochs) and ``test``: [recipes, seeds, epochs],
    mean over folds. A recipe that was not trained with a seed has NaN there.
    """

    name: str
    sign: float  # 1, or -1 where the metric is minimised
    valid: Values
    averaged: Values
    test: Values

    @property
    def best(self) -> Values:
        """The best validation reward up to each epoch."""
        return np.fmax.accumulate(self.valid, axis=2)

    @property
    def smoothed(self) -> Values:
        """What trials are ranked by: the best mean of consecutive epochs up to each epoch."""
        before = np.full((*self.valid.shape[:2], WINDOW - 1), np.nan)
        windows = sliding_window_view(np.concatenate([before, self.valid], axis=2), WINDOW, axis=2)
        known = np.isfinite(windows)
        means = np.where(known, windows, 0.0).sum(-1) / np.maximum(known.sum(-1), 1)
        return np.fmax.accumulate(np.where(known.any(-1), means, np.nan), axis=2)

    @property
    def seeds(self) -> NDArray[np.bool_]:
        """Which seeds each recipe was trained with, [recipes, seeds]."""
        return np.isfinite(self.valid[:, :, 0])

    def final(self) -> Values:
        """Validation reward at the best epoch, [recipes, seeds]."""
        return self.best[:, :, -1]

    def tested(self) -> Values:
        """Test reward at the epoch that is best in validation, [recipes, seeds]."""
        place = np.nan_to_num(self.valid, nan=-np.inf).argmax(axis=2)
        return np.take_along_axis(self.test, place[:, :, None], axis=2)[:, :, 0]


def read_curves(name: str, folder: Path = CURVES) -> Curves:
    """Read the curves of a set."""
    frame = pq.read_table(folder / f"{name}.parquet").to_pandas()
    sign = -1.0 if SETS[name].mode == "min" else 1.0
    seeds = sorted(frame.seed.unique())
    mean = frame.groupby(["recipe", "seed", "epoch"])[["valid", "valid_mean", "test"]].mean()

    def array(column: str) -> Values:
        made = np.full((RECIPES, len(seeds), EPOCHS), np.nan)
        for (recipe, seed, epoch), value in mean[column].items():
            made[recipe, seeds.index(seed), epoch - 1] = sign * value
        return made

    return Curves(name, sign, array("valid"), array("valid_mean"), array("test"))
