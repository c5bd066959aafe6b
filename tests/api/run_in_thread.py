"""A sweep in a thread with a running event loop, beside a Ray that runs: OUT CACHE as arguments."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from functools import partial
from pathlib import Path

import ray

import pdf_search

SETTINGS = {
    "training.epochs": 1,
    "model.hidden": 8,
    "model.layers": 1,
    "basis": {"pairs": [[-0.3, 1]]},
}


async def cell(out: Path, cache: Path, found: dict[str, object]) -> None:
    space = pdf_search.load_space(out / "hydration.csv", SETTINGS)
    sweep = pdf_search.run_sweep(
        space,
        quiet=True,
        name="small",
        out=out / "runs",
        cache=cache,
        trials=1,
        top_k=1,
        seeds=2,
        method="random",
        no_portfolio=True,
        repeat=True,
    )
    board = sweep.leaderboard()
    found["states"] = board["state"].tolist()
    found["phases"] = board["phase"].tolist()
    best = sweep.best
    found["best"] = [best.phase, best.number, best.value, best.spread]
    found["test"] = board[board["phase"] == "confirm"][["mean", "spread"]].iloc[0].tolist()
    predicted = best.predict(["CCO", "c1ccccc1"])
    found["predicted"] = predicted.filter(like="predicted_").iloc[:, 0].tolist()
    loaded = pdf_search.load(best.export(out / "model")).predict(["CCO", "c1ccccc1"])
    found["loaded"] = loaded.filter(like="predicted_").iloc[:, 0].tolist()
    found["resumed"] = sweep.resume(quiet=True).ended
    found["report"] = (sweep.report / "report.html").is_file()
    found["again"] = repr(pdf_search.open_sweep("small", out=out / "runs").best)


def main(out: Path, cache: Path) -> None:
    start = partial(ray.init, address="local", num_cpus=2, log_to_driver=False)
    try:
        start(include_dashboard=False)
    except Exception:  # on a busy machine Ray gives up after half a minute
        start(include_dashboard=False)
    found: dict[str, object] = {}
    thread = threading.Thread(target=lambda: asyncio.run(cell(out, cache, found)))
    thread.start()
    thread.join()
    found["ray"] = ray.is_initialized() and ray.get(ray.remote(lambda: 7).remote())
    ray.shutdown()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
