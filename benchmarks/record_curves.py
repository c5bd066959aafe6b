"""Records the learning curves on which the search methods are compared: one Parquet file a set.

Each recipe of ``replay/recipes.py`` is trained with three seeds, the best twelve with five. Where
a set has folds, two of its ten are used, five of the small MUTAG (protocol inner). Rows: recipe,
seed, fold, epoch, training loss; validation and test metric of the weights (``valid``, ``test``)
and of their average (``valid_mean``, ``test_mean``). Test is for the final score alone; no method
may read it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from common import describe_machine
from replay.recipes import EPOCHS, SETS, BenchSet, configure, recipes
from torch import Tensor

from pdf_search.atomic import whole_file
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.records import METRICS
from pdf_search.training.build_trainers import build_groups
from pdf_search.training.device import keep_freed_memory
from pdf_search.training.groups import Groups
from pdf_search.training.metrics import evaluate
from pdf_search.training.replicates import ReplicateSplits
from pdf_search.training.schedules import learning_rate

CURVES = Path(__file__).parent / "curves"
SEEDS = (11, 12, 13)
MORE_SEEDS = (14, 15)
BEST = 12  # recipes that get more seeds
POWER = 6.94  # of the average's weights: about the last tenth of training (Karras et al. 2024)

Row = dict[str, Any]
Job = tuple[str, int, tuple[int, ...], str, str]


@dataclass
class WeightAverage:
    """The average of a model's state over epochs, with weights that grow as a power of the epoch.

    Its width is a share of the epochs so far, so it needs no horizon (arXiv:2312.02696, eq. 127).
    BatchNorm's statistics are averaged with the weights.
    """

    groups: Groups
    state: dict[str, Tensor] | None = None

    def update(self, epoch: int) -> None:
        new = {name: value.clone() for name, value in self.groups.model_state().items()}
        if self.state is None:
            self.state = new
            return
        share = 1 - (1 - 1 / epoch) ** (POWER + 1)
        for name, value in new.items():
            if value.is_floating_point():
                self.state[name].lerp_(value, share)
            else:
                self.state[name] = value

    def predict(self, part: str) -> list[Tensor]:
        """Predictions with the average in place of the weights."""
        assert self.state is not None
        own = {name: value.clone() for name, value in self.groups.model_state().items()}
        moments = {name: value.clone() for name, value in self.groups.optimizer_state().items()}
        self.groups.load_states(self.state, moments)
        predictions = self.groups.predict(part)
        self.groups.load_states(own, moments)
        return predictions


def train(job: Job) -> list[Row]:
    """The rows of one recipe, kept until the set is whole: what is interrupted goes on."""
    name, number, seeds, folder, parts = job
    kept = Path(parts) / f"{name}-{number}-{seeds[0]}.json"
    if not kept.is_file():
        with whole_file(kept) as new:
            new.write_text(json.dumps(train_recipe(name, number, seeds, folder)))
    rows: list[Row] = json.loads(kept.read_text())
    return rows


def train_recipe(name: str, number: int, seeds: tuple[int, ...], folder: str) -> list[Row]:
    """The rows of one recipe: all its seeds and folds, trained together."""
    bench, data = SETS[name], load_prepared(Path(folder))
    keep_freed_memory()
    config = configure(recipes()[number], bench, seeds)
    splits = ReplicateSplits.of(config, data)
    if bench.folds:
        splits = splits.group(slice(None, None, 10 // bench.folds))
    groups = build_groups(config, data, splits, torch.device("cpu"))
    average = WeightAverage(groups)
    rows: list[Row] = []
    for epoch in range(1, EPOCHS + 1):
        losses = groups.train_epoch(epoch, learning_rate(config.training, epoch)).tolist()
        average.update(epoch)
        columns: dict[str, list[float | None]] = {"train_loss": losses}
        for part in ("valid", "test"):
            columns[part] = values(bench, data, splits, part, groups.predict(part))
            columns[f"{part}_mean"] = values(bench, data, splits, part, average.predict(part))
        for place, replicate in enumerate(splits.replicates):
            row = {"recipe": number, "seed": replicate.seed, "fold": replicate.fold, "epoch": epoch}
            rows.append(row | {column: known[place] for column, known in columns.items()})
    return rows


def values(
    bench: BenchSet, data: Prepared, splits: ReplicateSplits, part: str, rows: list[Tensor]
) -> list[float | None]:
    targets = data.graphs.targets
    return [
        evaluate(METRICS[bench.metric].name, targets[numbers], predicted.numpy())
        for numbers, predicted in zip(splits.parts[part], rows, strict=True)
    ]


def record(bench: BenchSet, data_root: Path | None, processes: int, parts: str) -> pa.Table:
    """All curves of a set."""
    folder = str(prepare(configure(recipes()[0], bench, SEEDS).data, data_root, progress=print))
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=torch.set_num_threads, initargs=(1,)) as pool:

        def run(numbers: list[int], seeds: tuple[int, ...]) -> Iterator[Row]:
            jobs = [(bench.name, number, seeds, folder, parts) for number in numbers]
            started = time.monotonic()
            for done, rows in enumerate(pool.imap_unordered(train, jobs), start=1):
                minutes = (time.monotonic() - started) / 60
                print(f"{bench.name}: {done} of {len(jobs)}, {minutes:.1f} min", flush=True)
                yield from rows

        rows = list(run(list(range(len(recipes()))), SEEDS))
        rows += run(best(bench, rows), MORE_SEEDS)
    frame = pd.DataFrame(rows).sort_values(["recipe", "seed", "fold", "epoch"], ignore_index=True)
    for column in ("train_loss", "valid", "valid_mean", "test", "test_mean"):
        frame[column] = frame[column].astype("float32")
    return pa.Table.from_pandas(frame, preserve_index=False)


def best(bench: BenchSet, rows: list[Row]) -> list[int]:
    """The recipes with the best validation value, its best epoch, mean over seeds and folds."""
    frame = pd.DataFrame(rows)
    curves = frame.groupby(["recipe", "epoch"])["valid"].mean().groupby("recipe")
    ranked = curves.min() if bench.mode == "min" else -curves.max()
    return [int(number) for number in ranked.sort_values().index[:BEST]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", choices=SETS)
    parser.add_argument("--data-root", type=Path, help="folder with raw files")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=CURVES)
    parser.add_argument("--parts", type=Path, required=True, help="folder of recipes done so far")
    arguments = parser.parse_args()
    arguments.parts.mkdir(parents=True, exist_ok=True)
    for name in arguments.sets:
        started = time.monotonic()
        table = record(SETS[name], arguments.data_root, arguments.processes, str(arguments.parts))
        about = {
            "machine": describe_machine("cpu", 1),
            "minutes": round((time.monotonic() - started) / 60, 1),
            "recipes": recipes(),
        }
        kept = table.replace_schema_metadata({"about": json.dumps(about)})
        pq.write_table(kept, arguments.out / f"{name}.parquet", compression="zstd")
        print(f"{name}: {about['minutes']} min", flush=True)


if __name__ == "__main__":
    main()
