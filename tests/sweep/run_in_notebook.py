"""A sweep as a notebook runs it: ``python run_in_notebook.py OUT CACHE SPACE DB``.

An event loop runs, the streams have no file number, and the words of the command are another's.
"""

from __future__ import annotations

import asyncio
import io
import sys
import traceback
from pathlib import Path

import ray.cloudpickle
from rich.console import Console

from pdf_search.space import load_space
from pdf_search.sweep import Functions, SweepOptions, plan_sweep, run_sweep

ROOT = Path(__file__).parents[2]


async def cell(out: str, cache: str, space: str, database: str) -> str:
    from tests.sweep import simulated  # noqa: PLC0415

    ray.cloudpickle.register_pickle_by_value(simulated)
    functions = Functions(simulated.simulated_trial, simulated.simulated_baseline)
    options = SweepOptions(
        name="odd",
        out=Path(out),
        cache=Path(cache),
        db=database,
        method="random",
        trials=2,
        top_k=1,
        seeds=1,
    )
    said = io.StringIO()
    result = run_sweep(
        plan_sweep(load_space(space), options), Console(file=said), functions=functions
    )
    return f"{[t.state.value for t in result.search + result.confirm]}\n{said.getvalue()}"


def main(words: list[str]) -> None:
    sys.path.insert(0, str(ROOT))
    real, errors = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    sys.argv = ["ipykernel_launcher.py", "-f", "/run/kernel-1.json"]
    try:
        real.write(asyncio.run(cell(*words)))
    except BaseException:
        traceback.print_exc(file=errors)
        raise


if __name__ == "__main__":
    main(sys.argv[1:])
