"""A search as one would write it with Ray Tune, Optuna and PyG alone, on the space of freesolv.

    python plain_tune.py freesolv --seed 0 --budget 640 --out plain.json

The network is a PyG MessagePassing over all pairs of each graph, one process a trial and fold
after fold; OptunaSearch draws, ASHAScheduler stops, and the search ends when all trials together
have trained the budget of epochs. Graphs, splits and basis rows come from the prepared data, so
that only search and training differ.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import ray
import torch
from plain_trial import EPOCHS, EPS, WARMUP, Drawn, grid_of, train
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search.optuna import OptunaSearch
from torch_geometric.data import Data

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import cached_bank, load_prepared, prepare, split_for
from pdf_search.graphs.batch import DeviceData

POWERS = (1, 2, 3, 4, 5)
SETS: dict[str, dict[str, Any]] = {
    "freesolv": {"data": {"name": "freesolv"}},
    "ogbg-molfreesolv": {"data": {"name": "ogbg-molfreesolv"}},
    "mutag": {"data": {"name": "mutag"}, "protocol": "inner", "folds": 5},
}


def draw(trial: Any) -> None:
    """The space of freesolv, defined by run."""
    basis = trial.suggest_categorical("basis", ["four powers", "fourth powers", "window"])
    if basis == "window":
        for end in ("low", "high"):
            trial.suggest_float(f"eps_{end}", -0.5, -0.1, step=0.1)
        trial.suggest_int("k_high", 2, 5)
    trial.suggest_categorical("hidden", [64, 48, 32])
    trial.suggest_int("layers", 2, 3)
    trial.suggest_categorical("filter", ["2l", "lin"])
    trial.suggest_categorical("channels", ["idp", "shd"])
    trial.suggest_categorical("filter_norm", [True, False])
    trial.suggest_categorical("dropout", [0.0, 0.1])
    trial.suggest_categorical("readout", ["mean", "sum"])
    trial.suggest_float("learning_rate", 7e-4, 4e-3, log=True)
    trial.suggest_categorical("weight_decay", [0.0, 1e-4, 1e-2])


def as_trial(name: str, drawn: Drawn) -> TrialConfig:
    """What was drawn as a configuration of ours, to be trained on fresh seeds."""
    model = ("hidden", "layers", "filter", "channels", "filter_norm", "dropout", "readout")
    training = {
        "epochs": EPOCHS,
        "batch_size": 32,
        "learning_rate": drawn["learning_rate"],
        "weight_decay": drawn["weight_decay"],
        "schedule": {"kind": "cosine", "warmup": WARMUP},
        "standardise_targets": True,
    }
    return parse_trial(
        SETS[name]
        | {
            "basis": {"pairs": [list(point) for point in grid_of(drawn)]},
            "model": {key: drawn[key] for key in model} | {"softmax": True},
            "training": training,
        }
    )


def write_graphs(name: str, data_root: Path | None, cache: Path | None, file: Path) -> None:
    """One PyG graph a graph, with the rows of all bases of the space on all pairs."""
    config = parse_trial(SETS[name] | {"basis": {"eps": list(EPS), "k": list(POWERS)}})
    data = load_prepared(prepare(config.data, data_root, cache))
    bank = cached_bank(data, config.basis)
    ours = DeviceData.build(data.graphs, bank, torch.device("cpu"))
    graphs = []
    for number in range(len(data.graphs)):
        batch = ours.collate(torch.tensor([[number]]))
        graphs.append(
            Data(
                x=batch.nodes[0],
                edge_index=torch.stack([batch.pair_source[0], batch.pair_target[0]]),
                edge_type=batch.pair_type[0],
                rows=ours.rows[batch.pair_row[0]],
                y=batch.targets[0],
                num_nodes=batch.nodes.shape[1],
            )
        )
    splits = [split_for(data, config, replicate) for replicate in config.replicates]
    parts = [(split.train.tolist(), split.valid.tolist()) for split in splits]
    made = {"graphs": graphs, "parts": parts, "grid": bank.grid, "shape": data.info.shape}
    torch.save(made | {"edge_types": ours.edge_types, "metric": data.info.metric}, file)


class Budget(tune.Stopper):
    """Ends the search when all trials together have trained so many epochs."""

    def __init__(self, epochs: int) -> None:
        self.left = epochs

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:  # noqa: ARG002
        self.left -= 1
        return False

    def stop_all(self) -> bool:
        return self.left <= 0


def search(arguments: argparse.Namespace, graphs: Path) -> dict[str, Any]:
    """Search, and return what was picked and what it cost. Listed points are trained in full."""
    mode = "max" if arguments.set == "mutag" else "min"
    seed, epochs = arguments.seed, arguments.epochs
    points = json.loads(arguments.points.read_text()) if arguments.points else None
    begun = time.monotonic()
    ray.init(address="local", log_to_driver=False)  # not a session that runs here already
    trial = tune.with_parameters(train, graphs=str(graphs), seed=seed, epochs=epochs)
    tuner = tune.Tuner(
        tune.with_resources(trial, {"cpu": 1}),
        tune_config=tune.TuneConfig(
            search_alg=OptunaSearch(
                draw, metric="value", mode=mode, seed=seed, points_to_evaluate=points
            ),
            scheduler=None
            if points
            else ASHAScheduler(
                metric="value", mode=mode, max_t=epochs, grace_period=4, reduction_factor=3
            ),
            num_samples=len(points) if points else arguments.budget,
        ),
        run_config=tune.RunConfig(
            stop=None if points else Budget(arguments.budget),
            storage_path=str(graphs.parent),
            verbose=0,
        ),
    )
    results = tuner.fit()
    best = results.get_best_result("value", mode, scope="all")
    assert best.config is not None
    assert best.metrics_dataframe is not None
    values = best.metrics_dataframe["value"]
    curves = [results[i].metrics_dataframe for i in range(len(results))]
    return {
        "drawn": best.config,
        "valid": float(values.min() if mode == "min" else values.max()),
        "epochs": sum(len(curve) for curve in curves if curve is not None),
        "seconds": time.monotonic() - begun,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--data-root", type=Path, help="folder with raw files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=640, help="epochs of all trials together")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="of a trial")
    parser.add_argument("--points", type=Path, help="JSON file of points to train instead")
    parser.add_argument("--cache", type=Path, help="folder of prepared data")
    parser.add_argument("--out", type=Path, required=True, help="JSON file of what it found")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        graphs = Path(folder) / "graphs.pt"
        write_graphs(arguments.set, arguments.data_root, arguments.cache, graphs)
        found = search(arguments, graphs)
    arguments.out.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
