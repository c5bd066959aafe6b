"""Seconds from a trial's start to the end of its first training step, in a worker that trained.

    python benchmarks/trial_start.py --data-root FOLDER

A worker gets the trials of a search one after another. Here one process plays it, without Ray: it
takes random configurations of the space, and breaks each off after its first step. The first
trial also loads the data, the bank and the compiled kernels. "again": a trial whose graphs and
bases the worker had just before, as one that goes on from a rung. Steps on a CPU; a GPU's
recordings are not part of it.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from unittest import mock

import torch
from common import describe_machine

from pdf_search.config import BasisConfig, parse_trial
from pdf_search.data import CompactBases, load_prepared, prepare
from pdf_search.space import load_space
from pdf_search.sweep.samplers.trial_builder import random_points
from pdf_search.sweep.shared_bases import shared_bases
from pdf_search.sweep.tune import trainable
from pdf_search.training import run_trial
from pdf_search.training.replicate_trainer import ReplicateTrainer


class _FirstStepError(Exception):
    pass


def starts(name: str, root: Path, trials: int) -> list[tuple[float, float]]:
    """Seconds of each of ``trials`` random trials of a space, and again, in one process."""
    space = load_space(name)
    points = random_points(space, trials)
    configs = [parse_trial(space.trial(p) | {"device": "cpu", "seeds": [0, 1]}) for p in points]
    prepared = load_prepared(prepare(configs[0].data, root))
    found = CompactBases(prepared, configs[0])
    texts = [json.dumps(found.resolved(config).model_dump(mode="json")) for config in configs]
    bases = shared_bases(space)
    folder = str(prepared.folder)
    return [(_start(text, folder, bases), _start(text, folder, bases)) for text in texts]


def _start(text: str, folder: str, bases: tuple[BasisConfig, ...]) -> float:
    learn = ReplicateTrainer.learn

    def first(*arguments: object, **more: object) -> None:
        learn(*arguments, **more)  # type: ignore[arg-type]
        raise _FirstStepError

    gc.collect()
    began = time.perf_counter()
    try:
        with mock.patch.object(ReplicateTrainer, "learn", first):
            data = replace(trainable._data(folder), bases=bases)
            run_trial(parse_trial(json.loads(text)), data, lambda *_: None)
    except _FirstStepError:
        return time.perf_counter() - began
    raise AssertionError("a trial without a step")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-root", type=Path, required=True)
    parser.add_argument("--spaces", nargs="+", default=["freesolv", "zinc"])
    parser.add_argument("--trials", type=int, default=12)
    given = parser.parse_args()
    torch.set_num_threads(1)
    print(describe_machine("cpu", 1))
    print("| space | first trial s | later, median s | slowest s | again, median s | slowest s |")
    print("|---|---|---|---|---|---|")
    for name in given.spaces:
        (first, _), *later = starts(name, given.data_root, given.trials)
        cells = (f"{f(x):.3f}" for x in zip(*later, strict=True) for f in (median, max))
        print(f"| {name} | {first:.2f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
