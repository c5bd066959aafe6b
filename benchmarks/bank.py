"""Banks: seconds to build, to read again and to select a sub-grid; size on disk.

    python benchmarks/bank.py --data-root FOLDER --sets zinc ogbg-molhiv

Banks are built on the CPU, whatever ``--device`` says.

``zinc``: eps 0..-0.5 by 0.05, k 1..8 (88 bases and the identity), cut to the published five.
``ogbg-molhiv``: molpcba's published grid on molhiv's graphs, also scaled to molpcba's number.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from common import parser, publish

from pdf_search.config import BasisConfig, DataConfig, parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.data.banks import cached_bank
from pdf_search.space import paper_trial
from pdf_search.training.device import peak_megabytes

MOLPCBA_GRAPHS = 437_929
FULL_GRID = BasisConfig.model_validate(
    {"eps": {"low": -0.5, "high": 0.0, "step": 0.05}, "k": {"low": 1, "high": 8}}
)


def published(name: str) -> BasisConfig:
    return parse_trial(dict(paper_trial(name))).basis


GRIDS = {
    "zinc": (FULL_GRID, published("zinc")),
    "ogbg-molhiv": (published("ogbg-molpcba"), None),
}


def main() -> None:
    made = parser(__doc__, seconds=200.0)
    made.add_argument("--sets", nargs="+", default=list(GRIDS), choices=list(GRIDS))
    arguments = made.parse_args()
    torch.set_num_threads(arguments.threads)
    started = time.perf_counter()
    rows: list[dict[str, Any]] = []
    for name in arguments.sets:
        if rows and time.perf_counter() - started > arguments.seconds / 2:
            print(f"{name}: left out, half of the time is over")
            continue
        rows += measure(name, arguments.data_root)
    publish(arguments, rows)


def measure(name: str, data_root: Path | None) -> list[dict[str, Any]]:
    full, part = GRIDS[name]
    data = load_prepared(prepare(DataConfig(name=name), data_root))
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        bank, build = timed(cached_bank, data, full, cache)
        _, reload = timed(cached_bank, data, full, cache)
        select = timed(cached_bank, data, part, cache)[1] if part else None
        size = sum(f.stat().st_size for f in (cache / "banks").rglob("*.npy")) / 2**20
    row: dict[str, Any] = {
        "dataset": name,
        "graphs": len(data.graphs),
        "bases": full.size,
        "distinct_rows": len(bank.rows),
        "near_pairs": len(bank.row),
        "build_s": build,
        "reload_s": reload,
        "select_s": select,
        "disk_mb": size,
        "peak_mb": peak_megabytes(torch.device("cpu")),
    }
    if name != "ogbg-molhiv":
        return [row]
    scale = MOLPCBA_GRAPHS / len(data.graphs)
    scaled: dict[str, Any] = {key: row[key] * scale for key in ("build_s", "disk_mb")}
    scaled |= dict.fromkeys(("distinct_rows", "reload_s", "select_s", "peak_mb"))
    scaled |= {"dataset": "scaled to molpcba", "graphs": MOLPCBA_GRAPHS}
    scaled |= {"near_pairs": round(row["near_pairs"] * scale)}
    return [row, row | scaled]


def timed(function: Any, *arguments: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - started


if __name__ == "__main__":
    main()
