"""A portfolio chosen on recorded curves: recipes that together do well on every set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replay.curve_file import Curves, Values

SIZE = 12
ENOUGH = 0.01  # a gain in mean regret below which a new round begins


def worth(curves: Curves) -> Values:
    """The mean over all seeds of each recipe's best validation reward, [recipes]."""
    return np.asarray(np.nanmean(curves.final(), axis=1))


def regret(curves: Curves) -> Values:
    """How far each recipe is from the best: 0 for the best, 1 for the median one, [recipes]."""
    values = worth(curves)
    best = values.max()
    return np.asarray(np.minimum((best - values) / (best - np.median(values)), 1.0))


def choose(sets: Sequence[Curves], size: int = SIZE) -> list[int]:
    """Choose greedily: each recipe lowers the mean over the sets of the least regret so far most.

    When no recipe lowers it any more, a new round begins as if none had been chosen.
    """
    regrets = np.stack([regret(curves) for curves in sets])
    chosen: list[int] = []
    reached = np.ones(len(sets))
    while len(chosen) < size:
        after = np.minimum(reached[:, None], regrets).mean(0)
        after[chosen] = np.inf
        best = int(after.argmin())
        if reached.mean() - after[best] < ENOUGH and not (reached == 1).all():
            reached = np.ones(len(sets))
            continue
        chosen.append(best)
        reached = np.minimum(reached, regrets[:, best])
    return chosen
