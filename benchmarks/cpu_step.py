"""CPU time of a training step: the code of another checkout, this one, and plain PyG, in turns.

    python benchmarks/cpu_step.py --data-root FOLDER --before CHECKOUT

Each side of a case runs in a process of its own, on one thread, and trains whole epochs when it is
told to. The time is that of the process, so that other work on the machine counts for little; a
ratio is the median of the rounds' own ratios. freesolv: hidden 32, 3 layers, the 12 bases of its
space. ZINC: the paper's setting; ``pyg`` is a plain PyG version of it, its batches made beforehand.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from common import parser, publish

HERE = Path(__file__).resolve().parents[1]
EPOCH_STEPS = 17  # of a long epoch so many steps are trained at a time

FREESOLV_MODEL = {
    "hidden": 32, "layers": 3, "filter": "2l", "channels": "idp", "filter_norm": True,
    "softmax": True, "activation": "gelu", "ffn_activation": "gelu", "ffn_norm": True,
    "dropout": 0.0, "readout": "mean", "head": "linear",
}  # fmt: skip
FREESOLV = {
    "data": {"name": "freesolv"},
    "protocol": "split",
    "basis": {"pairs": [[eps, k] for eps in (-0.1, -0.3, -0.5) for k in (1, 2, 3, 4)]},
    "model": FREESOLV_MODEL,
    "training": {
        "epochs": 40, "batch_size": 32, "learning_rate": 1e-3, "weight_decay": 1e-4,
        "schedule": {"kind": "cosine", "warmup": 3}, "standardise_targets": True,
    },
}  # fmt: skip
CASES: dict[str, tuple[str, int, dict[str, Any]]] = {  # data set, replicates, changes of the model
    "freesolv": ("freesolv", 1, {}),
    "freesolv, 3 replicates": ("freesolv", 3, {}),
    "freesolv, dropout 0.1": ("freesolv", 1, {"dropout": 0.1}),
    "freesolv, shd, no norms": (
        "freesolv", 1, {"channels": "shd", "filter_norm": False, "ffn_norm": False}
    ),
    "zinc": ("zinc", 1, {}),
}  # fmt: skip


class Side:
    """A process that measures one side of a case with the code of ``checkout``."""

    def __init__(self, case: str, side: str, checkout: Path, data_root: Path | None) -> None:
        command = [sys.executable, __file__, "--serve", case, side]
        command += ["--data-root", str(data_root)] if data_root else []
        environment = os.environ | {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.measure(0.0)  # loads the data, compiles the kernels

    def measure(self, seconds: float) -> float:
        """CPU milliseconds of a step, over epochs that take about so many seconds."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(seconds, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def serve(case: str, side: str, data_root: Path | None) -> None:
    """Answer each line of seconds on the standard input with the CPU time of a step."""
    from pdf_search.training.device import keep_freed_memory  # noqa: PLC0415

    torch.set_num_threads(1)
    keep_freed_memory()
    epoch = pyg_epoch(data_root) if side == "pyg" else our_epoch(case, data_root)
    for line in sys.stdin:
        times: list[float] = []
        while not times or sum(times) < float(line) * 1e3:
            started = time.process_time()
            steps = epoch()
            times.append((time.process_time() - started) * 1e3)
        print(median(times) / steps, flush=True)


def our_epoch(case: str, data_root: Path | None) -> Callable[[], int]:
    """What trains an epoch of a case, or its first steps, and returns how many."""
    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.space import paper_trial  # noqa: PLC0415
    from pdf_search.training.build_trainers import build_trainer  # noqa: PLC0415
    from pdf_search.training.replicates import ReplicateSplits  # noqa: PLC0415

    dataset, replicates, changes = CASES[case]
    tree: dict[str, Any] = dict(FREESOLV if dataset == "freesolv" else paper_trial(dataset))
    tree |= {"seeds": list(range(replicates)), "device": "cpu"}
    tree["model"] = {**tree["model"], **changes}
    config = parse_trial(tree)
    data = load_prepared(prepare(config.data, data_root))
    splits = ReplicateSplits.of(config, data)
    trainer = build_trainer(config, data, splits, torch.device("cpu"))
    size = config.training.batch_size
    order = splits.epoch_order(1)[:, : EPOCH_STEPS * size]

    def epoch() -> int:
        trainer.train_epoch(1, order, 1e-4)
        return -(-order.shape[1] // size)

    return epoch


def pyg_epoch(data_root: Path | None) -> Callable[[], int]:
    from plain_pyg import plain_program  # noqa: PLC0415

    step, _, _ = plain_program(data_root, "cpu")

    def epoch() -> int:
        for number in range(2):
            step(number)
        return 2

    return epoch


def compare(case: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """One row: medians of the sides, and of the rounds' ratios."""
    sides = {"before": arguments.before, "now": HERE} | ({"pyg": HERE} if case == "zinc" else {})
    workers = {s: Side(case, s, where, arguments.data_root) for s, where in sides.items()}
    share = arguments.seconds / arguments.rounds / len(workers)
    rounds = [{s: w.measure(share) for s, w in workers.items()} for _ in range(arguments.rounds)]
    for worker in workers.values():
        worker.close()
    return {"case": case} | medians(rounds)


def medians(rounds: list[dict[str, float]]) -> dict[str, float | None]:
    """Of the sides' milliseconds, and of the rounds' own ratios; None without that side."""
    row: dict[str, float | None] = {
        f"{side}_ms": median(r[side] for r in rounds) if side in rounds[0] else None
        for side in ("before", "now", "pyg")
    }
    row["before / now"] = median(r["before"] / r["now"] for r in rounds)
    for side in ("before", "now"):
        ratio = [r["pyg"] / r[side] for r in rounds if "pyg" in r]
        row[f"pyg / {side}"] = median(ratio) if ratio else None
    return row


def main() -> None:
    made = parser(__doc__, seconds=20.0)
    made.set_defaults(device="cpu", threads=1)
    made.add_argument("--before", type=Path, default=HERE, help="a checkout of the code of before")
    made.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    made.add_argument("--rounds", type=int, default=5)
    made.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    arguments = made.parse_args()
    if arguments.serve:
        case, side = arguments.serve
        serve(case, side, arguments.data_root)
        return
    publish(arguments, [compare(case, arguments) for case in arguments.cases])


if __name__ == "__main__":
    main()
