"""Two trials side by side on one GPU, half of it each, through Ray; on a CPU, a core each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ray
import torch

from gpu_checks.bench import Bench, Row
from gpu_checks.compare import check, relative
from gpu_checks.parts.trials import curve, train
from pdf_search.config import TrialConfig
from pdf_search.sweep.tune import trainable
from pdf_search.training import run_trial

FRACTION = 0.5


def rows(bench: Bench) -> Iterator[Row]:
    configs = [
        bench.config(2, fraction=1.0, stop_epoch=4, seeds=seeds) for seeds in ([0, 1], [2, 3])
    ]
    expected = [curve(train(bench, config)[0]) for config in configs]
    if bench.gpu:
        torch.cuda.empty_cache()
    share = FRACTION if bench.gpu else 0.0
    ray.init(  # not a session that runs here already
        address="local", num_cpus=2, num_gpus=int(bench.gpu), include_dashboard=False,
        log_to_driver=False,
    )  # fmt: skip
    try:
        task = ray.remote(num_cpus=1, num_gpus=share)(trial)
        waiting = [task.remote(config, bench.data.folder, share) for config in configs]
        found: list[dict[str, Any]] = ray.get(waiting)
    finally:
        ray.shutdown()
    for number, (one, right) in enumerate(zip(found, expected, strict=True)):
        yield check(f"trial {number}: its curve", relative(one["curve"], right), 5e-3)
        if bench.gpu:
            yield check(f"trial {number}: share of the GPU's memory", one["share"], FRACTION)
    together = min(one["end"] for one in found) - max(one["start"] for one in found)
    yield check("seconds that they did not overlap", max(0.0, -together), 0.0, together_s=together)


def trial(config: TrialConfig, folder: Path, share: float) -> dict[str, Any]:
    """In a worker: prepared as for a sweep's trial, then trained."""
    shared = trainable.Shared({"": str(folder)}, cpus=1, gpus=share, checkpoint_seconds=60.0)
    trainable.prepare_process(shared)
    reports: list[Any] = []
    data, start = trainable._data(str(folder)), time.time()
    run_trial(config, data, lambda report, _: reports.append(report))
    found = {"curve": curve(reports), "start": start, "end": time.time(), "share": 0.0}
    if share:
        total = torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory
        found["share"] = torch.cuda.max_memory_reserved() / total
    return found
