"""CPU seconds of an epoch with and without ``keep_freed_memory``, by turns in new processes.

    python benchmarks/freed_memory.py --data-root FOLDER

A hundredth of ZINC with its published setting, and with dropout, for which all pairs are listed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from common import describe_machine

SETTINGS = {"published": "0.0", "dropout 0.1": "0.1"}
ROUNDS, EPOCHS = 2, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-root", type=Path, required=True)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.data_root, *given.measure)))
        return
    print(describe_machine("cpu", 1))
    print("| setting | freed memory | user s | system s | page faults |\n|---|---|---|---|---|")
    for setting, dropout in SETTINGS.items():
        runs: dict[str, list[list[float]]] = {"kept": [], "given back": []}
        for _ in range(ROUNDS):
            for way, found in runs.items():
                command = [sys.executable, __file__, "--data-root", given.data_root]
                done = subprocess.check_output([*command, "--measure", way, dropout], text=True)
                found.append(json.loads(done.splitlines()[-1]))
        for way, found in runs.items():
            user, system, faults = min(found, key=lambda run: run[0] + run[1])
            print(f"| {setting} | {way} | {user:.2f} | {system:.2f} | {faults:,.0f} |")


def measure(root: Path, way: str, dropout: str) -> list[float]:
    """User and system seconds and page faults of the quickest epoch but the first."""
    import torch  # noqa: PLC0415

    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.records import EpochReport  # noqa: PLC0415
    from pdf_search.space import load_space  # noqa: PLC0415
    from pdf_search.training import trial  # noqa: PLC0415

    torch.set_num_threads(1)
    if way != "kept":
        trial.keep_freed_memory = lambda: None  # type: ignore[assignment]
    space = load_space("zinc", ["data.train_fraction=0.01"])
    tree = space.trial(space.points_to_evaluate[0])
    tree["model"]["dropout"] = float(dropout)
    config = parse_trial(tree | {"stop_epoch": EPOCHS, "device": "cpu"})
    used = []

    def see(_: EpochReport, __: object) -> None:
        now = resource.getrusage(resource.RUSAGE_SELF)
        used.append((now.ru_utime, now.ru_stime, float(now.ru_minflt)))

    trial.run_trial(config, load_prepared(prepare(config.data, root)), see)
    epochs = [[b - a for a, b in zip(*pair, strict=True)] for pair in pairwise(used)]
    return min(epochs, key=lambda epoch: epoch[0] + epoch[1])


if __name__ == "__main__":
    main()
