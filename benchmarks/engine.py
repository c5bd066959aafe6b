"""Both engines in one run: step, collation and epoch time, memory, share of matrix products.

    python benchmarks/engine.py --data-root FOLDER --datasets zinc mutag --replicates 1 4

Every cell runs in a process of its own, on the published setting of the data set and its real
graphs. A step is collation, forward, backward and optimizer. ``pyg`` is a plain PyG
MessagePassing version of the same ZINC model, to show that the reference is no straw man.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from common import describe_machine, print_rows, write_rows

MATRIX_PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")


@dataclass(frozen=True)
class Cell:
    dataset: str
    engine: str  # fast, reference, pyg
    replicates: int
    support: str  # published, dense, 1-hop
    data_root: Path | None
    device: str
    threads: int
    seconds: float


def main() -> None:
    arguments = parse()
    cells = [
        Cell(dataset, engine, replicates, "published", arguments.data_root, arguments.device,
             arguments.threads, 0.0)
        for dataset in arguments.datasets
        for replicates in arguments.replicates
        for engine in engines_for(dataset, replicates)
    ]  # fmt: skip
    if "reddit-binary" in arguments.datasets:
        cells += [
            Cell("reddit-binary", "fast", 1, support, arguments.data_root, arguments.device,
                 arguments.threads, 0.0)
            for support in ("dense", "1-hop")
        ]  # fmt: skip
    share = arguments.seconds / len(cells)
    measured = [run_apart(Cell(**{**vars(cell), "seconds": share})) for cell in cells]
    rows = side_by_side(measured)
    print(describe_machine(arguments.device, arguments.threads))
    print_rows(rows)
    if arguments.json:
        write_rows(arguments.json, rows)


def engines_for(dataset: str, replicates: int) -> tuple[str, ...]:
    if dataset == "zinc" and replicates == 1:
        return ("fast", "reference", "pyg")
    return ("fast", "reference")


def run_apart(cell: Cell) -> dict[str, Any]:
    """A cell in a fresh process: its peak memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (cell,))


def measure(cell: Cell) -> dict[str, Any]:
    from pdf_search.training.device import keep_freed_memory, peak_megabytes  # noqa: PLC0415

    torch.set_num_threads(cell.threads)
    keep_freed_memory()
    if cell.engine == "pyg":
        from plain_pyg import plain_program  # noqa: PLC0415

        step, graphs, matrix_ms = plain_program(cell.data_root, cell.device)
        collate: Callable[[int], object] | None = None
    else:
        step, collate, graphs, matrix_ms = our_program(cell)
    times = timed(step, cell.seconds, cell.device)
    collations = timed(collate, cell.seconds / 8, cell.device) if collate else [0.0]
    per_replicate = 1 / cell.replicates
    step_ms = 1e3 * median(times)
    return {
        "cell": (cell.dataset, cell.support, cell.device, cell.replicates),
        "engine": cell.engine,
        "step_ms": step_ms * per_replicate,
        "collate_ms": 1e3 * median(collations) * per_replicate,
        "epoch_s": step_ms / 1e3 * graphs * per_replicate,
        "matrix_ms": matrix_ms() * per_replicate,
        "peak_mb": peak_megabytes(torch.device(cell.device)),
        "steps": len(times),
    }


def our_program(cell: Cell) -> tuple[Callable[[int], object], Callable[[int], object], int, Any]:
    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.space import paper_trial  # noqa: PLC0415
    from pdf_search.training.build import build_program  # noqa: PLC0415
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
    program = build_program(config, data, splits, torch.device(cell.device))
    orders = splits.epoch_order(1).to(cell.device)
    size = config.training.batch_size
    steps = -(-orders.shape[1] // size)

    def batch(step: int) -> torch.Tensor:
        start = step % steps * size
        return orders[:, start : start + size]

    def step(number: int) -> object:
        return program.train_step(1, number, batch(number), 1e-4)

    def collate(number: int) -> object:
        return program.data.collate(batch(number))

    return step, collate, steps, lambda: matrix_milliseconds(step)


def timed(call: Callable[[int], object], seconds: float, device: str) -> list[float]:
    """Durations of repeated calls, in seconds; the first two (compilation, caches) left out."""
    times: list[float] = []
    started = time.perf_counter()
    number = 0
    while number < 5 or (time.perf_counter() - started < seconds and number < 2000):
        begin = time.perf_counter()
        call(number)
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
        number += 1
    return times[2:]


def matrix_milliseconds(step: Callable[[int], object], steps: int = 4) -> float:
    """The profiler's own time of the matrix products in a step."""
    from torch.profiler import ProfilerActivity, profile  # noqa: PLC0415

    activities = [ProfilerActivity.CPU]
    with profile(activities=activities) as profiler:
        for number in range(steps):
            step(number)
    own = (e.self_cpu_time_total for e in profiler.key_averages() if e.key in MATRIX_PRODUCTS)
    return sum(own) / 1e3 / steps


def side_by_side(measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a data set, support and R, the engines beside each other; times per replicate."""
    rows = []
    for cell in dict.fromkeys(m["cell"] for m in measured):
        engines = {m["engine"]: m for m in measured if m["cell"] == cell}
        fast = engines["fast"]
        row = dict(zip(("dataset", "support", "device", "replicates"), cell, strict=True))
        for name in ("reference", "pyg"):
            row[f"{name}_ms"] = engines[name]["step_ms"] if name in engines else None
        row["fast_ms"] = fast["step_ms"]
        reference = engines.get("reference")
        row["speedup"] = reference["step_ms"] / fast["step_ms"] if reference else None
        row["collate_ms"] = fast["collate_ms"]
        row["matrix_ms"] = fast["matrix_ms"]
        row["over_matrix"] = (fast["step_ms"] - fast["collate_ms"]) / max(fast["matrix_ms"], 1e-9)
        row["epoch_s"] = fast["epoch_s"]
        row["peak_mb"] = fast["peak_mb"]
        row["reference_peak_mb"] = reference["peak_mb"] if reference else None
        rows.append(row)
    return rows


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-root", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    sets = ["zinc", "mutag", "ogbg-molhiv", "reddit-binary"]
    parser.add_argument("--datasets", nargs="+", default=sets)
    parser.add_argument("--replicates", nargs="+", type=int, default=[1, 4, 8, 16])
    parser.add_argument("--seconds", type=float, default=200.0, help="for all measurements")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
