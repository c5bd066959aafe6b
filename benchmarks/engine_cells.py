"""One engine on one data set, in a process of its own that measures when it is told to."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import torch

MATRIX_PRODUCTS = (
    "aten::mm",
    "aten::addmm",
    "aten::bmm",
    "aten::baddbmm",
    "mkldnn::_linear_pointwise",
)
MOST_STEPS = 2000  # of a round


@dataclass(frozen=True)
class Cell:
    dataset: str
    engine: str  # fast, reference, pyg
    replicates: int
    support: str  # published, dense, 1-hop
    data_root: Path | None
    device: str
    threads: int


@dataclass(frozen=True)
class Round:
    """Median times of one turn, for one replicate. ``steps``: of an epoch."""

    step_ms: float
    collate_ms: float
    matrix_ms: float
    steps: int


class Worker:
    """The process of a cell: its peak memory is its own."""

    def __init__(self, cell: Cell) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(cell, other), daemon=True)
        self.process.start()
        other.close()

    def ready(self) -> None:
        self.pipe.recv()

    def measure(self, seconds: float) -> Round:
        self.pipe.send(seconds)
        result: Round = self.pipe.recv()
        return result

    def finish(self) -> float:
        """Peak memory in MB."""
        self.pipe.send(None)
        peak: float = self.pipe.recv()
        self.process.join()
        return peak


def serve(cell: Cell, pipe: Connection) -> None:
    from pdf_search.training.device import keep_freed_memory, peak_megabytes  # noqa: PLC0415

    torch.set_num_threads(cell.threads)
    keep_freed_memory()
    collate: Callable[[int], object] | None = None
    if cell.engine == "pyg":
        from plain_pyg import plain_program  # noqa: PLC0415

        step, steps, matrix_ms = plain_program(cell.data_root, cell.device)
    else:
        step, collate, steps, matrix_ms = our_program(cell)
    timed(step, 0.0, cell.device)  # compiles kernels, fills caches
    peak = peak_megabytes(torch.device(cell.device))
    pipe.send("ready")
    while (seconds := pipe.recv()) is not None:
        each = 1e3 / cell.replicates
        times = timed(step, seconds * 0.8, cell.device)
        collations = timed(collate, seconds * 0.1, cell.device) if collate else [0.0]
        pipe.send(
            Round(
                median(times) * each,
                median(collations) * each,
                matrix_ms() / cell.replicates if cell.engine == "fast" else 0.0,
                steps,
            )
        )
        peak = peak_megabytes(torch.device(cell.device))
    pipe.send(peak)


def our_program(cell: Cell) -> tuple[Callable[[int], object], Callable[[int], object], int, Any]:
    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.space import paper_trial  # noqa: PLC0415
    from pdf_search.training.build_trainers import build_trainer  # noqa: PLC0415
    from pdf_search.training.replicates import ReplicateSplits  # noqa: PLC0415

    name = "ogbg-molpcba" if cell.dataset.startswith("ogbg-mol") else cell.dataset
    tree = dict(paper_trial(name))
    tree |= {"engine": cell.engine, "seeds": list(range(cell.replicates))}
    tree |= {"protocol": "split", "folds": None, "data": {"name": cell.dataset}}
    if cell.support != "published":
        support = "dense" if cell.support == "dense" else {"hops": 1}
        tree["basis"] = {**tree["basis"], "k": 1, "support": support, "standardise": False}
    config = parse_trial(tree)
    data = load_prepared(prepare(config.data, cell.data_root))
    splits = ReplicateSplits.of(config, data)
    trainer = build_trainer(config, data, splits, torch.device(cell.device))
    orders = splits.epoch_order(1).to(cell.device)
    size = config.training.batch_size
    steps = -(-orders.shape[1] // size)

    def batch(step: int) -> torch.Tensor:
        start = step % steps * size
        return orders[:, start : start + size]

    def step(number: int) -> object:
        return trainer.train_step(1, number, batch(number), 1e-4)

    def collate(number: int) -> object:
        return trainer.data.collate(batch(number))

    return step, collate, steps, lambda: matrix_milliseconds(step)


def timed(call: Callable[[int], object], seconds: float, device: str) -> list[float]:
    """Durations of repeated calls, in seconds; the first is left out."""
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < 2 or (time.perf_counter() - started < seconds and len(times) < MOST_STEPS):
        begin = time.perf_counter()
        call(len(times))
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return times[1:]


def matrix_milliseconds(step: Callable[[int], object], steps: int = 1) -> float:
    """The profiler's own time of the matrix products in a step."""
    from torch.profiler import ProfilerActivity, profile  # noqa: PLC0415

    activities = [ProfilerActivity.CPU]
    with profile(activities=activities) as profiler:
        for number in range(steps):
            step(number)
    own = (e.self_cpu_time_total for e in profiler.key_averages() if e.key in MATRIX_PRODUCTS)
    microseconds: float = sum(own)
    return microseconds / 1e3 / steps
