"""A Ray Tune script of one's own, with a space's trainable and parameters, under Tune's ASHA.

``python examples/tune_script.py``. The space's sampler, early stopping, confirmation and records
are not used: the script decides.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import ray
from ray import tune
from ray.tune.schedulers import ASHAScheduler

from pdf_search import load_space
from pdf_search.tune import parameter_space, point, trainable

HERE = Path(__file__).parent


def main(out: Path, trials: int = 4, epochs: int = 4) -> tune.ResultGrid:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_AIR_NEW_OUTPUT"] = "0"  # the new one prints, whatever verbose is
    ray.init("local", include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    logging.getLogger("ray").setLevel(logging.ERROR)  # Tune's loggers are below it
    space = load_space(HERE / "hydration.csv")
    tuner = tune.Tuner(
        tune.with_resources(trainable(space, epochs=epochs), {"cpu": 1}),
        param_space=parameter_space(space),
        tune_config=tune.TuneConfig(
            metric="valid",
            mode="min",  # RMSE
            num_samples=trials,
            scheduler=ASHAScheduler(time_attr="epoch", max_t=epochs, grace_period=1),
        ),
        run_config=tune.RunConfig(storage_path=str(out.resolve()), name="tune", verbose=0),
    )
    results = tuner.fit()
    best = results.get_best_result()
    print(
        f"best of {len(results)}: RMSE {best.metrics['rmse']:.2f} in epoch {best.metrics['epoch']}"
    )
    print(point(space, best.config))  # without what the trial left out
    return results


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
