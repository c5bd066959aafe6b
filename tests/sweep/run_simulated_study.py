"""A study to be killed: ``python run_simulated_study.py OUT CACHE STUDY``; again, it goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import ray.cloudpickle

from pdf_search.space import load_study
from pdf_search.sweep import Functions, SweepOptions, plan_study, run_sweep

ROOT = Path(__file__).parents[2]


def main(out: str, cache: str, study: str) -> int:
    sys.path.insert(0, str(ROOT))
    from tests.sweep import simulated  # noqa: PLC0415

    ray.cloudpickle.register_pickle_by_value(simulated)
    options = SweepOptions(out=Path(out), cache=Path(cache), checkpoint_seconds=0.001)
    functions = Functions(simulated.simulated_trial)
    result = run_sweep(plan_study(load_study(study), options), functions=functions)
    print(f"ended {result.ended!r}")
    return 130 if result.ended == "interrupted" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
