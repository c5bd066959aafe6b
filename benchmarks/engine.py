"""Both engines side by side: step, collation and epoch time, memory, share of matrix products.

    python benchmarks/engine.py --data-root FOLDER --datasets zinc mutag --replicates 1 4

Engines that are compared take turns, each in a process of its own, on the published setting of the
data set and its real graphs: a machine that slows down for a while slows both. A step is collation,
forward, backward and optimizer. ``pyg`` is a plain PyG MessagePassing version of the same ZINC
model, to show that the reference is no straw man. Times are for one replicate.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import median
from typing import Any

from common import parser, publish
from engine_cells import Cell, Round, Worker

ROUNDS = 8


def main() -> None:
    arguments = parse()
    groups = list(groups_of(arguments))
    share = arguments.seconds / len(groups)
    rows = [row for cells in groups for row in compare(cells, share)]
    publish(arguments, rows)


def groups_of(arguments: argparse.Namespace) -> list[list[Cell]]:
    """Cells that are compared with each other."""

    def cell(dataset: str, engine: str, replicates: int, support: str = "published") -> Cell:
        where = (arguments.data_root, arguments.device, arguments.threads)
        return Cell(dataset, engine, replicates, support, *where)

    groups = [
        [cell(dataset, engine, replicates) for engine in engines_for(dataset, replicates)]
        for dataset in arguments.datasets
        for replicates in arguments.replicates
    ]
    if "reddit-binary" in arguments.datasets:
        groups.append([cell("reddit-binary", "fast", 1, s) for s in ("dense", "1-hop")])
    return groups


def engines_for(dataset: str, replicates: int) -> tuple[str, ...]:
    if dataset == "zinc" and replicates == 1:
        return ("fast", "reference", "pyg")
    return ("fast", "reference")


def compare(cells: Sequence[Cell], seconds: float) -> list[dict[str, Any]]:
    """One row a support, the engines beside each other."""
    workers = [Worker(cell) for cell in cells]
    for worker in workers:
        worker.ready()
    turn = seconds / ROUNDS / len(workers)
    rounds = [[worker.measure(turn) for worker in workers] for _ in range(ROUNDS)]
    peaks = [worker.finish() for worker in workers]
    rows = []
    for support in dict.fromkeys(cell.support for cell in cells):
        places = {c.engine: i for i, c in enumerate(cells) if c.support == support}
        turns = {engine: [r[place] for r in rounds] for engine, place in places.items()}
        peak = {engine: peaks[place] for engine, place in places.items()}
        rows.append(row(cells[places["fast"]], turns, peak))
    return rows


def row(cell: Cell, turns: dict[str, list[Round]], peak: dict[str, float]) -> dict[str, Any]:
    """Medians over the rounds; a ratio is the median of the rounds' own ratios."""
    fast = turns["fast"]
    result: dict[str, Any] = {
        "dataset": cell.dataset,
        "support": cell.support,
        "device": cell.device,
        "replicates": cell.replicates,
    }
    for name in ("reference", "pyg"):
        result[f"{name}_ms"] = median(r.step_ms for r in turns[name]) if name in turns else None
    result["fast_ms"] = median(r.step_ms for r in fast)
    for name, slow in (("speedup", "reference"), ("over_pyg", "pyg")):
        result[name] = (
            median(s.step_ms / f.step_ms for s, f in zip(turns[slow], fast, strict=True))
            if slow in turns
            else None
        )
    result["collate_ms"] = median(r.collate_ms for r in fast)
    result["matrix_ms"] = median(r.matrix_ms for r in fast)
    result["over_matrix"] = median(r.step_ms / max(r.matrix_ms, 1e-9) for r in fast)
    result["epoch_s"] = result["fast_ms"] * fast[0].steps / 1e3
    result["peak_mb"] = peak["fast"]
    result["reference_peak_mb"] = peak.get("reference")
    return result


def parse() -> argparse.Namespace:
    sets = ["zinc", "mutag", "ogbg-molhiv", "reddit-binary"]
    made = parser(__doc__, seconds=200.0)
    made.add_argument("--datasets", nargs="+", default=sets, choices=sets)
    made.add_argument("--replicates", nargs="+", type=int, default=[1, 4, 8, 16])
    return made.parse_args()


if __name__ == "__main__":
    main()
