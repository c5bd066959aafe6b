"""The paper's ZINC setting from start to end: curves of every seed and the final numbers.

    python benchmarks/zinc_full.py --data-root FOLDER --seeds 4 --seconds 230 --json FILE

Stops cleanly at the time limit; what was trained by then is printed and saved as partial.
"""

from __future__ import annotations

import argparse
import signal
import time
from statistics import fmean

import torch
from common import describe_machine, parser, print_rows, write_rows
from real_runs.fresh_seeds import best_epochs

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.records import METRICS, EpochReport
from pdf_search.space import paper_trial
from pdf_search.training.trial import Save, run_trial


class OutOfTimeError(Exception):
    """The time limit was reached."""


class Curves:
    """Collects the epochs of a trial."""

    def __init__(self) -> None:
        self.epochs: list[EpochReport] = []

    def __call__(self, report: EpochReport, save: Save) -> None:  # noqa: ARG002
        self.epochs.append(report)
        if report.epoch % 10 == 1:
            valid = fmean(r.valid for r in report.replicates if r.valid is not None)
            print(f"epoch {report.epoch}: valid {valid:.4f}, {report.seconds:.2f} s", flush=True)


def stop_after(seconds: float) -> None:
    """Raise OutOfTimeError when the time is over, also between the steps of an epoch."""

    def out_of_time(*_: object) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def main() -> None:
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    tree = dict(paper_trial("zinc")) | {"phase": "confirm", "device": arguments.device}
    config = parse_trial(tree | {"seeds": list(range(arguments.seeds))})
    data = load_prepared(prepare(config.data, arguments.data_root))
    curves = Curves()
    started = time.perf_counter()
    stop_after(arguments.seconds)
    try:
        run_trial(config, data, curves)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except OutOfTimeError:
        print(f"time limit after epoch {len(curves.epochs)} of {config.epochs}: partial")
    if not curves.epochs:
        raise SystemExit("not one epoch was finished: give more --seconds")
    rows = [final_row(curves.epochs, config, time.perf_counter() - started)]
    print(describe_machine(arguments.device, arguments.threads))
    print_rows(rows)
    if arguments.json:
        write_rows(arguments.json, rows + curve_rows(curves.epochs))


def final_row(epochs: list[EpochReport], config: TrialConfig, seconds: float) -> dict[str, object]:
    """Test MAE at each seed's best validation epoch; the spread has ddof 0."""
    best = best_epochs(epochs, config.replicates, METRICS["mae"])
    values = {part: best[part].to_numpy() for part in ("valid", "test")}  # NaN stays NaN
    return {
        "seeds": len(best),
        "epochs": f"{len(epochs)} of {config.epochs}",
        **{part: f"{own.mean():.4f} ± {own.std():.4f}" for part, own in values.items()},
        "paper": "valid 0.085 ± 0.0038, test 0.066 ± 0.0020",
        "seconds": seconds,
        "epoch_s_per_seed": fmean(e.seconds for e in epochs) / len(best),
        "peak_mb": epochs[-1].peak_mb,
    }


def curve_rows(epochs: list[EpochReport]) -> list[dict[str, object]]:
    return [
        {"epoch": e.epoch, "seed": r, **vars(replicate)}
        for e in epochs
        for r, replicate in enumerate(e.replicates)
    ]


def parse() -> argparse.Namespace:
    made = parser(__doc__, seconds=230.0)
    made.add_argument("--seeds", type=int, default=4)
    return made.parse_args()


if __name__ == "__main__":
    main()
