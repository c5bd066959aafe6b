"""CPU seconds of an epoch with and without ``keep_freed_memory``, by turns in new processes.

    python benchmarks/freed_memory.py --data-root FOLDER

A hundredth of ZINC with its published setting, and with dropout, for which all pairs are listed;
then with three replicates, which train one after another so that a step's largest tensors are of a
size that is kept, and together.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

from common import describe_machine

WAYS = ("kept", "given back")
SETTINGS = {  # dropout, replicates, ways
    "published": (0.0, 1, WAYS),
    "dropout 0.1": (0.1, 1, WAYS),
    "dropout 0.1, 3 replicates": (0.1, 3, ("kept", "kept, together", "given back, together")),
}
EPOCHS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-root", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=2, help="of which the quickest counts")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        way, dropout, replicates = given.measure
        print(json.dumps(measure(given.data_root, way, float(dropout), int(replicates))))
        return
    print(describe_machine("cpu", 1))
    print("| setting | freed memory | user s | system s | page faults |\n|---|---|---|---|---|")
    for setting, (dropout, replicates, ways) in SETTINGS.items():
        runs: dict[str, list[list[float]]] = {way: [] for way in ways}
        for _ in range(given.rounds):
            for way, found in runs.items():
                command = [sys.executable, __file__, "--data-root", given.data_root]
                done = subprocess.check_output(
                    [*command, "--measure", way, str(dropout), str(replicates)], text=True
                )
                found.append(json.loads(done.splitlines()[-1]))
        for way, found in runs.items():
            user, system, faults = min(found, key=lambda run: run[0] + run[1])
            print(f"| {setting} | {way} | {user:.2f} | {system:.2f} | {faults:,.0f} |")


def measure(root: Path, way: str, dropout: float, replicates: int) -> list[float]:
    """User and system seconds and page faults of the quickest epoch but the first."""
    import torch  # noqa: PLC0415

    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.records import EpochReport  # noqa: PLC0415
    from pdf_search.space import load_space  # noqa: PLC0415
    from pdf_search.training import memory, trial  # noqa: PLC0415

    torch.set_num_threads(1)
    if "given back" in way:
        patch.object(trial, "keep_freed_memory", lambda: None).start()
    if "together" in way:
        patch.object(memory, "LARGEST_REUSED", 0).start()
    space = load_space("zinc", ["data.train_fraction=0.01"])
    tree = space.trial(space.points_to_evaluate[0])
    tree["model"]["dropout"] = dropout
    tree["seeds"] = list(range(replicates))
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
