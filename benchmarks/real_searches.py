"""Real searches side by side: the default, random in full, and a plain script, for equal epochs.

    python real_searches.py freesolv mutag --runs FOLDER --methods default random

All search the space of freesolv, trained for 40 epochs; the plain script without ``basis.select``.
Each search is kept under its name in a folder, so that what was interrupted goes on. A pick is
worth what it reaches on fresh seeds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from common import describe_machine, print_rows, standard_error
from plain_tune import SETS, as_trial
from real_runs.fresh_seeds import worths
from real_runs.sweeps import Pick, sweep

SPACE = "freesolv"
BUDGET = 640  # epochs: those of 16 trials in full
PLAIN_SCRIPT = Path(__file__).with_name("plain_tune.py")
Row = dict[str, Any]


@dataclass(frozen=True)
class RealRuns:
    """Where the runs are kept, where the raw files lie, and what is compared."""

    folder: Path
    data_root: Path | None
    methods: tuple[str, ...]

    def compared(self, name: str, seed: int) -> Iterator[Row]:
        """A row a method."""
        for method in self.methods:
            known = self.folder / f"{name}-{seed}-{method}.json"
            if not known.is_file():
                pick = METHODS[method](self, name, seed)
                (frame,) = worths([pick.config], self.data_root)
                known.write_text(json.dumps(_row(name, seed, method, pick, frame)) + "\n")
            yield json.loads(known.read_text())

    def _sweep(self, name: str, seed: int, method: str, options: list[str]) -> Pick:
        settings = [f"--set={key}={json.dumps(value)}" for key, value in SETS[name].items()]
        settings += ["--metric", "accuracy" if name == "mutag" else "rmse", "--seed", str(seed)]
        if self.data_root:
            settings += ["--data-root", str(self.data_root)]
        return sweep(SPACE, f"{name}-{seed}-{method}", self.folder, settings + options)

    def default(self, name: str, seed: int) -> Pick:
        """The shipped method, with as many trials as cost no more than the budget."""
        return self._sweep(name, seed, "default", ["--trials", "32"])

    def random(self, name: str, seed: int) -> Pick:
        """Random trials, each trained to its end."""
        options = ["--method", "random", "--trials", "16", "--no-portfolio"]
        return self._sweep(name, seed, "random", options)

    def plain(self, name: str, seed: int) -> Pick:
        """Ray Tune, Optuna and PyG alone."""
        out = self.folder / f"{name}-{seed}-plain-run.json"
        if not out.is_file():
            command = [sys.executable, str(PLAIN_SCRIPT), name, f"--seed={seed}", f"--out={out}"]
            if self.data_root:
                command.append(f"--data-root={self.data_root}")
            subprocess.run([*command, f"--budget={BUDGET}"], check=True, stdout=subprocess.DEVNULL)
        found = json.loads(out.read_text())
        config = as_trial(name, found["drawn"])
        return Pick(config, found["valid"], found["epochs"], found["seconds"])


METHODS: dict[str, Callable[[RealRuns, str, int], Pick]] = {
    "default": RealRuns.default,
    "random": RealRuns.random,
    "plain": RealRuns.plain,
}


def _row(name: str, seed: int, method: str, pick: Pick, fresh: pd.DataFrame) -> Row:
    return {
        "set": name,
        "seed": seed,
        "method": method,
        "epochs": pick.epochs,
        "seconds": pick.seconds,
        "valid": pick.valid,
        "fresh valid": float(fresh.valid.mean()),
        "fresh test": float(fresh.test.mean()),
    }


def summary(rows: list[Row]) -> list[Row]:
    """Mean and standard error over sampler seeds, a row a set and method."""
    frame = pd.DataFrame(rows)
    made = []
    for (name, method), own in frame.groupby(["set", "method"], sort=False):
        worth = own["fresh valid"]
        made.append(
            {
                "set": name,
                "method": method,
                "sampler seeds": len(own),
                "epochs": float(own.epochs.mean()),
                "seconds": float(own.seconds.mean()),
                "worth": float(worth.mean()),
                "standard error": float(standard_error(worth)),
                "test": float(own["fresh test"].mean()),
            }
        )
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", choices=SETS)
    parser.add_argument("--runs", type=Path, required=True, help="folder that keeps the runs")
    parser.add_argument("--data-root", type=Path, help="folder with raw files")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS])
    parser.add_argument("--seeds", type=int, default=5, help="sampler seeds")
    arguments = parser.parse_args()
    arguments.runs.mkdir(parents=True, exist_ok=True)
    runs = RealRuns(arguments.runs, arguments.data_root, tuple(arguments.methods))
    rows = []
    for seed in range(arguments.seeds):
        for name in arguments.sets:
            for row in runs.compared(name, seed):
                print(row, file=sys.stderr, flush=True)
                rows.append(row)
    print(describe_machine("cpu", 1))
    print_rows(summary(rows))


if __name__ == "__main__":
    main()
