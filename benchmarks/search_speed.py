"""The same trials on FreeSolv by `pdf-search sweep` and by a plain Ray Tune, Optuna and PyG script.

    python benchmarks/search_speed.py --data-root FOLDER

Both get the same points of the space of freesolv, on ogbg-molfreesolv, and train each for as many
epochs, one CPU a trial, and begin with raw files and an empty cache. They run in turns. A ratio is
the median of the rounds' own: the search, from the first trial's start to the last one's end, the
whole command, and CPU time, with that of Ray's processes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from common import describe_machine, parser, print_rows, write_rows
from real_runs.timed import Cost, cost_of

from pdf_search.space import load_space
from pdf_search.sweep.samplers.trial_builder import random_points

SPACE, DATA = "freesolv", "ogbg-molfreesolv"
PLAIN_SCRIPT = Path(__file__).with_name("plain_tune.py")
Point = dict[str, Any]


def points(count: int) -> list[Point]:
    """Random points, of which the plain script can train each: it knows no compact bases."""
    found = random_points(load_space(SPACE), count)
    ends = "basis.window.eps.low", "basis.window.eps.high"
    for point in found:
        if point["basis"] == "window":
            point["basis.window.select"] = "full"
            point.update(zip(ends, sorted(point[end] for end in ends), strict=True))
    return found


def as_drawn(point: Point) -> Point:
    """The point as the plain script names it."""
    names = {"basis.window.eps.low": "eps_low", "basis.window.eps.high": "eps_high",
             "basis.window.k.high": "k_high"}  # fmt: skip
    return {
        names.get(path, path.rsplit(".", 1)[-1]): value
        for path, value in point.items()
        if not path.endswith("select")
    }


def places(root: Path | None, folder: Path) -> list[str]:
    """Where raw files and prepared data lie, as both sides are told."""
    return [f"--cache={folder / 'cache'}", *([f"--data-root={root}"] if root else [])]


def ours(found: list[Point], epochs: int, root: Path | None, folder: Path) -> Cost:
    """The command of pdf-search."""
    command = [
        "pdf-search", "sweep", SPACE, f"--set=data.name={DATA}",
        f"--set=points_to_evaluate={json.dumps(found)}",
        "--method=random", f"--trials={len(found)}", f"--epochs={epochs}", "--top-k=0",
        "--no-portfolio", f"--out={folder / 'runs'}", *places(root, folder),
    ]  # fmt: skip
    return cost_of(command, folder / "notes")


def plain(found: list[Point], epochs: int, root: Path | None, folder: Path) -> Cost:
    """The plain script."""
    listed = folder / "points.json"
    listed.write_text(json.dumps([as_drawn(point) for point in found]))
    command = [
        str(PLAIN_SCRIPT), DATA, f"--points={listed}", f"--budget={epochs * len(found)}",
        f"--epochs={epochs}", f"--out={folder / 'found.json'}", *places(root, folder),
    ]  # fmt: skip
    cost = cost_of(command, folder / "notes")
    assert json.loads((folder / "found.json").read_text())["epochs"] == epochs * len(found)
    return cost


def row_of(side: str, cost: Cost, epochs: int) -> dict[str, Any]:
    row = {"side": side, "search_s": cost.search, "epochs_per_s": epochs / cost.search}
    row |= {"command_s": cost.wall, "before_s": cost.before, "cpu_s": sum(cost.cpu.values())}
    return row | {f"{kind}_cpu_s": seconds for kind, seconds in sorted(cost.cpu.items())}


def ratios(rounds: list[dict[str, Cost]]) -> list[dict[str, Any]]:
    """Plain over ours: what each is, median of the rounds."""
    figures: dict[str, Callable[[Cost], float]] = {
        "search": lambda cost: cost.search,
        "whole command": lambda cost: cost.wall,
        "CPU time, whole command": lambda cost: sum(cost.cpu.values()),
        "CPU time, workers": lambda cost: cost.cpu["workers"],
    }
    found = {name: [f(r["plain"]) / f(r["ours"]) for r in rounds] for name, f in figures.items()}
    return [
        {"plain / ours": name, "median": median(values)}
        | {f"round {i}": value for i, value in enumerate(values, 1)}
        for name, values in found.items()
    ]


def main() -> None:
    options = parser(__doc__ or "", seconds=0.0)
    options.add_argument("--trials", type=int, default=16)
    options.add_argument("--epochs", type=int, default=30)
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    found, rows, rounds = points(arguments.trials), [], []
    for _ in range(arguments.rounds):
        costs = {}
        for side in (ours, plain):
            with tempfile.TemporaryDirectory() as folder:
                cost = side(found, arguments.epochs, arguments.data_root, Path(folder))
            costs[side.__name__] = cost
            rows.append(row_of(side.__name__, cost, arguments.epochs * arguments.trials))
            print(asdict(cost), flush=True)
        rounds.append(costs)
    print(describe_machine("cpu", 1))
    print_rows(rows)
    print_rows(ratios(rounds))
    if arguments.json:
        write_rows(arguments.json, rows + ratios(rounds))


if __name__ == "__main__":
    main()
