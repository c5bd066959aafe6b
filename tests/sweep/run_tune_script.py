"""A Tune script over a space, under the scheduler or searcher named: NAME OUT CACHE."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ray import tune
from ray.tune.schedulers import HyperBandScheduler, PopulationBasedTraining
from ray.tune.search.optuna import OptunaSearch

from pdf_search import load_space
from pdf_search.tune import parameter_space, trainable

EXAMPLES = Path(__file__).parents[2] / "examples"
RATE = "training.learning_rate"
SMALL = {
    "basis": {"pairs": [[-0.3, 1]]},
    "model.hidden": {"choice": [8, 12]},
    "model.layers": 1,
    "training.epochs": 4,
}


def config(name: str) -> tune.TuneConfig:
    common = {"metric": "valid", "mode": "min", "num_samples": 3}
    if name == "pbt":
        scheduler = PopulationBasedTraining(
            time_attr="epoch",
            perturbation_interval=1,
            hyperparam_mutations={RATE: tune.loguniform(1e-4, 1e-2)},
            quantile_fraction=0.5,
            synch=True,
        )
        return tune.TuneConfig(**common, scheduler=scheduler)
    if name == "hyperband":
        return tune.TuneConfig(**common, scheduler=HyperBandScheduler("epoch", max_t=4))
    return tune.TuneConfig(**common, search_alg=OptunaSearch())


def main(name: str, out: Path, cache: Path) -> None:
    space = load_space(EXAMPLES / "hydration.csv", SMALL)
    tuner = tune.Tuner(
        tune.with_resources(trainable(space, cache=cache), {"cpu": 1}),
        param_space=parameter_space(space),
        tune_config=config(name),
        run_config=tune.RunConfig(storage_path=str(out), name=name, verbose=0),
    )
    results = tuner.fit()
    found = [
        {"epoch": r.metrics["epoch"], "valid": r.metrics["valid"], "rate": r.config[RATE]}
        for r in results
    ]
    errors = [str(error) for error in results.errors]
    print(json.dumps({"trials": found, "errors": errors}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
