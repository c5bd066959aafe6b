"""A driver to be killed: ``python run_simulated.py run|resume OUT CACHE SPACE [TRIALS]``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import ray.cloudpickle

from pdf_search.space import load_space
from pdf_search.sweep import Functions, SweepOptions, plan_sweep, resume, run_sweep

ROOT = Path(__file__).parents[2]
NAME = "killed"


def main(verb: str, out: str, cache: str, space: str, trials: str) -> int:
    sys.path.insert(0, str(ROOT))
    from tests.sweep import simulated  # noqa: PLC0415

    ray.cloudpickle.register_pickle_by_value(simulated)
    functions = Functions(simulated.simulated_trial, simulated.simulated_baseline)
    if verb == "run":
        options = SweepOptions(
            name=NAME,
            out=Path(out),
            cache=Path(cache),
            trials=int(trials),
            checkpoint_seconds=float(os.environ.get("SIMULATED_CHECKPOINTS", "0.001")),
        )
        result = run_sweep(plan_sweep(load_space(space), options), functions=functions)
    else:
        result = resume(NAME, Path(out), trials=int(trials), functions=functions)
    print(f"ended {result.ended!r} {result.how_to_resume}")
    return 130 if result.ended == "interrupted" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
