"""What `pdf-search quickstart` confirms, over sampler seeds; beside an earlier version of the code.

    python quickstart_seeds.py --runs FOLDER --before CHECKOUT

A run's value is the mean validation RMSE (kcal/mol) of its confirmed rows, each a mean over four
fresh seeds. Both versions run in turns, and their epochs are counted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from common import describe_machine, print_rows
from real_runs.sweeps import PROGRAM

HERE = Path(__file__).parents[1]
Row = dict[str, Any]


def run(checkout: Path, label: str, seed: int, runs: Path) -> Row:
    """Run the quickstart of a checkout, if it has not run, and read its report."""
    name = f"{label}-{seed}"
    report = runs / name / "report"
    if not (report / "table.csv").is_file():
        command = [str(PROGRAM), "quickstart", "--name", name, "--seed", str(seed)]
        environment = os.environ | {"PYTHONPATH": str(checkout)}
        command += ["--out", str(runs)]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    table = pd.read_csv(report / "table.csv")
    own = table[table["kind"] == "ours"]
    board = pd.read_csv(report / "leaderboard.csv")
    return {
        "code": label,
        "seed": seed,
        "epochs of the search": int(board[board["phase"] == "search"].epochs.sum()),
        "rows": len(own),
        "validation RMSE": float(own["valid"].mean()),
        "best row": float(own["valid"].min()),
        "test RMSE": float(own["value"].mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, required=True, help="folder that keeps the runs")
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    arguments.runs.mkdir(parents=True, exist_ok=True)
    versions = {"now": HERE} | ({"before": arguments.before} if arguments.before else {})
    rows = []
    for seed in range(arguments.seeds):
        for label, checkout in versions.items():
            rows.append(run(checkout, label, seed, arguments.runs))
            print(rows[-1], file=sys.stderr, flush=True)
    print(describe_machine("cpu", 1))
    print_rows(rows)


if __name__ == "__main__":
    main()
