"""Random configurations in terms that fit any data set, and what they are on each of five.

A recipe says sizes as shares (of the set's largest hidden size and highest power), so that the same
48 recipes can be trained on every set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdf_search.config import TrialConfig, parse_trial

RECIPES = 48
SEED = 20_261_128
HIDDEN = 64  # the largest hidden size
EPOCHS = 40

Recipe = dict[str, Any]


@dataclass(frozen=True)
class BenchSet:
    """A data set of the bench; ``powers`` is the highest k of its grids.

    ``folds`` of ten are trained, 0 for a set with a split. ``hops`` are those of the recipes
    without dense support.
    """

    name: str
    metric: str
    powers: int
    hops: int
    folds: int = 0
    regression: bool = False

    @property
    def mode(self) -> str:
        return "min" if self.regression else "max"


SETS = {
    bench.name: bench
    for bench in (
        BenchSet("freesolv", "rmse", 5, 4, regression=True),
        BenchSet("ogbg-molesol", "rmse", 5, 4, regression=True),
        BenchSet("mutag", "accuracy", 8, 4, folds=5),
        BenchSet("enzymes", "accuracy", 6, 2, folds=2),
        BenchSet("imdb-binary", "accuracy", 5, 1, folds=2),
    )
}


def recipes() -> list[Recipe]:
    """The recipes, the same at every call."""
    source = np.random.default_rng(SEED)
    return [_draw(source) for _ in range(RECIPES)]


def _draw(source: np.random.Generator) -> Recipe:
    def one_of(*values: Any) -> Any:
        return values[int(source.integers(len(values)))]

    low, high = sorted(int(source.integers(6)) for _ in range(2))
    activation = one_of("gelu", "relu")
    return {
        "eps": (round(-high / 10, 1), round(-low / 10, 1)),
        "k_share": one_of(1 / 3, 2 / 3, 1.0),
        "dense": one_of(True, True, True, False),
        "standardise": one_of(False, True),
        "hidden_share": one_of(0.5, 0.75, 1.0),
        "layers": one_of(2, 3, 4),
        "filter": one_of("lin", "1l", "2l"),
        "channels": one_of("idp", "shd"),
        "filter_norm": one_of(True, False),
        "softmax": one_of(True, False),
        "activation": activation,
        "ffn_norm": one_of(True, False),
        "dropout": one_of(0.0, 0.1, 0.2, 0.3, 0.5),
        "readout": one_of("mean", "sum", "max"),
        "head": one_of("linear", "mlp"),
        "batch_size": one_of(32, 64),
        "learning_rate": float(np.exp(source.uniform(np.log(2e-4), np.log(8e-3)))),
        "weight_decay": one_of(0.0, 1e-5, 1e-4, 1e-3, 1e-2),
        "annealed": one_of(True, True, False),
    }


def configure(recipe: Recipe, bench: BenchSet, seeds: tuple[int, ...]) -> TrialConfig:
    """The configuration of a recipe on a data set, in the phase that sees the test part."""
    low, high = recipe["eps"]
    schedule = (
        {"kind": "cosine", "warmup": 3}
        if recipe["annealed"]
        else {"kind": "step", "warmup": 0, "step": EPOCHS // 5, "gamma": 0.6}
    )
    tree = {
        "data": {"name": bench.name, "metric": bench.metric},
        "basis": {
            "eps": {"low": low, "high": high, "step": 0.1},
            "k": {"low": 1, "high": max(1, round(recipe["k_share"] * bench.powers))},
            "support": "dense" if recipe["dense"] else {"hops": bench.hops},
            "standardise": recipe["standardise"],
        },
        "model": {
            "hidden": int(recipe["hidden_share"] * HIDDEN),
            "ffn_activation": recipe["activation"],
        }
        | {
            name: recipe[name]
            for name in (
                "layers",
                "filter",
                "channels",
                "filter_norm",
                "softmax",
                "activation",
                "ffn_norm",
                "dropout",
                "readout",
                "head",
            )
        },
        "training": {
            "epochs": EPOCHS,
            "batch_size": recipe["batch_size"],
            "learning_rate": recipe["learning_rate"],
            "weight_decay": recipe["weight_decay"],
            "schedule": schedule,
            "standardise_targets": bench.regression,
        },
        "protocol": "inner" if bench.folds else "split",
        "folds": 10 if bench.folds else None,
        "phase": "confirm",
        "seeds": seeds,
        "device": "cpu",
    }
    return parse_trial(tree)
