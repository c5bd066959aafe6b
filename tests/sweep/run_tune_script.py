"""Tune scripts over a space, under three of Tune's schedulers and searchers: OUT CACHE."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import ray
from ray import tune
from ray.tune.schedulers import HyperBandScheduler, PopulationBasedTraining
from ray.tune.search.optuna import OptunaSearch

from pdf_search import load_space
from pdf_search.space import Space
from pdf_search.tune import parameter_space, trainable

EXAMPLES = Path(__file__).parents[2] / "examples"
RATE = "training.learning_rate"
SMALL = {
    "basis": {"pairs": [[-0.3, 1]]},
    "model.hidden": {"choice": [8, 12]},
    "model.layers": 1,
    "training.epochs": 4,
}


def config(name: str, space: Space) -> tune.TuneConfig:
    common = {"metric": "valid", "mode": "min", "num_samples": 2}
    if name == "pbt":
        domain = next(p.domain for p in space.parameters() if p.path == RATE)

        def within(values: dict[str, Any]) -> dict[str, Any]:
            return values | {RATE: min(max(values[RATE], domain.low), domain.high)}

        scheduler = PopulationBasedTraining(
            time_attr="epoch",
            perturbation_interval=1,
            hyperparam_mutations={RATE: parameter_space(space)[RATE]},
            custom_explore_fn=within,
            quantile_fraction=0.5,
            synch=True,
        )
        return tune.TuneConfig(**common, scheduler=scheduler)
    if name == "hyperband":
        return tune.TuneConfig(**common, scheduler=HyperBandScheduler("epoch", max_t=4))
    return tune.TuneConfig(**common, search_alg=OptunaSearch())


def run(name: str, out: Path, cache: Path) -> dict[str, object]:
    space = load_space(EXAMPLES / "hydration.csv", SMALL)
    tuner = tune.Tuner(
        tune.with_resources(trainable(space, cache=cache), {"cpu": 1}),
        param_space=parameter_space(space),
        tune_config=config(name, space),
        run_config=tune.RunConfig(storage_path=str(out), name=name, verbose=0),
    )
    results = tuner.fit()
    return {
        "errors": [str(error) for error in results.errors],
        "epochs": [result.metrics["epoch"] for result in results],
        "values": [result.metrics["valid"] for result in results],
    }


def main(out: Path, cache: Path) -> None:
    start = partial(ray.init, address="local", num_cpus=2, log_to_driver=False)
    try:
        start(include_dashboard=False)
    except Exception:  # on a busy machine Ray gives up after half a minute
        start(include_dashboard=False)
    print(json.dumps({name: run(name, out, cache) for name in ("pbt", "hyperband", "optuna")}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
