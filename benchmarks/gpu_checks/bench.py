"""What the parts share: the device, the prepared data, the sizes, and trainers on them."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.data.banks import cached_bank
from pdf_search.model import engine_data
from pdf_search.space import paper_trial
from pdf_search.training import build_trainers
from pdf_search.training.build_trainers import trainer_of
from pdf_search.training.cuda_graph.replay import Captured, emulated
from pdf_search.training.device import peak_megabytes, reset_peak, use_device, use_precision
from pdf_search.training.optimizer import AdamW
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits

Row = dict[str, Any]
EXCERPTS = Path(__file__).resolve().parents[2] / "tests" / "excerpts"
AT_ONCE = 200  # steps built at once: all of ZINC's epoch
LEAST = 4  # nodes of a graph in the interpreter
CPU = torch.device("cpu")

# Changes of the published ZINC network. Between them they reach every kernel and both layouts.
VARIANTS: dict[str, dict[str, Any]] = {
    "zinc": {},
    "softmax": {"softmax": True, "filter_norm": True, "readout": "sum", "head": "mlp"},
    "dropout": {"dropout": 0.2, "filter_norm": True},
    "shared": {"channels": "shd"},
    "relu": {"activation": "relu", "ffn_activation": "relu", "ffn_norm": False, "readout": "max"},
    "odd width": {"hidden": 37},
}


@dataclass(frozen=True)
class Sizes:
    """The sizes of all parts: those of the published ZINC setting, or tiny ones."""

    dataset: str
    hidden: int
    layers: int
    batch: int
    odd_width: int
    some: float  # share of the training graphs where a few steps are enough
    together: tuple[int, ...]  # replicates whose epochs are timed
    epochs: int  # of a short trial
    long: tuple[int, int]  # seeds and epochs of long training
    basis: dict[str, Any] | None = None  # None: the published one


FULL = Sizes("zinc", 160, 6, 64, 37, 0.03, (8, 16, 1), 4, (4, 351))
TINY = Sizes(
    "ogbg-molfreesolv", 6, 2, 2, 5, 1.0, (2, 1), 1, (2, 2), {"pairs": [(-0.2, 1), (-0.5, 2)]}
)


@dataclass(frozen=True)
class Bench:
    """The data set and the device of a run."""

    data: Prepared
    device: torch.device
    sizes: Sizes
    interpreted: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Bench:
        """Take the device, and load the data that ``--pack`` prepared, or prepare them."""
        device = use_device(arguments.device)
        interpreted = arguments.kernels == "interpreter"
        if arguments.threads or interpreted:
            torch.set_num_threads(arguments.threads or 1)
        use_precision("float32", device)
        if device.type == "cpu":  # trials run recorded code there too
            patch.object(build_trainers, "replay_for", lambda *_: emulated).start()
        sizes = TINY if device.type == "cpu" else FULL
        if arguments.data is not None:
            (folder,) = (arguments.data / "prepared").glob(f"{sizes.dataset}-*")
        else:
            folder = prepared(sizes, arguments.out / "cache", arguments.data_root)
        data = load_prepared(folder)
        reset_peak(device)
        return cls(data, device, sizes, interpreted)

    @property
    def gpu(self) -> bool:
        return self.device.type == "cuda"

    @property
    def recorder(self) -> Any:
        return Captured() if self.gpu else emulated

    def config(self, replicates: int = 2, variant: str = "zinc", **changes: Any) -> TrialConfig:
        """The published ZINC trial on this bench's data and sizes, in float32.

        ``fraction``: of the training graphs. Other ``changes`` are keys of the trial.
        """
        tree = sized(self.sizes)
        tree["model"] |= VARIANTS[variant]
        if variant == "odd width":
            tree["model"]["hidden"] = self.sizes.odd_width
        tree["data"] = {**tree["data"], "train_fraction": changes.pop("fraction", self.sizes.some)}
        tree |= {"seeds": list(range(replicates)), "precision": "float32"}
        return parse_trial(tree | {"device": self.device.type} | changes)

    def setup(self, config: TrialConfig) -> tuple[ReplicateSplits, Callable[[], ReplicateTrainer]]:
        """The splits, and what makes trainers on the same data; the reference is on the CPU."""
        device = CPU if config.engine == "reference" else self.device
        splits = ReplicateSplits.of(config, self.data)
        bank = cached_bank(self.data, config.basis).subset(splits.numbers)
        lists = engine_data(config.engine, config.model, splits.graphs, bank, device)
        return splits, lambda: trainer_of(config, self.data, splits, lists, device)

    def truth(self, config: TrialConfig) -> ReplicateTrainer:
        """A trainer of the same networks with the reference engine, on the CPU, in float64."""
        _, make = self.setup(config.model_copy(update={"engine": "reference"}))
        return in_double(make())

    def few(self, splits: ReplicateSplits, places: Tensor) -> Tensor:
        """Of the graphs ``places`` [R, L] those of a step; in the interpreter small ones.

        Not the smallest of all: over two molecules of one atom a norm divides by almost nothing,
        and float32 leaves a hundredth of a gradient wrong on every engine.
        """
        if self.interpreted:
            nodes = torch.from_numpy(splits.graphs.node_count)[places]
            size = torch.where(nodes < LEAST, nodes.max() + 1, nodes)
            places = places.gather(1, size.argsort(dim=1, stable=True))
        return places[:, : self.sizes.batch].to(self.device)

    def wait(self) -> float:
        """The time, when the device has done everything."""
        if self.gpu:
            torch.cuda.synchronize()
        return time.perf_counter()

    def peak(self) -> float:
        """Peak memory of this part in MiB: torch's on a GPU, else the process's."""
        return round(peak_megabytes(self.device), 1)


def in_double(trainer: ReplicateTrainer) -> ReplicateTrainer:
    """The trainer with its parameters and numbers in float64; its optimizer begins anew."""
    model = deepcopy(trainer.model).double()
    return replace(
        trainer,
        model=model,
        optimizer=AdamW(model.parameters(), trainer.optimizer.weight_decay),
        data=replace(trainer.data, rows=trainer.data.rows.double()),
        rows=trainer.rows.double(),
        mean=trainer.mean.double(),
        std=trainer.std.double(),
    )


def sized(sizes: Sizes) -> dict[str, Any]:
    """The tree of the published ZINC trial in these sizes."""
    tree = dict(paper_trial("zinc"))
    tree["data"] = {"name": sizes.dataset}
    tree["basis"] = sizes.basis or tree["basis"]
    tree["model"] = {**tree["model"], "hidden": sizes.hidden, "layers": sizes.layers}
    tree["training"] = {**tree["training"], "batch_size": sizes.batch}
    return tree


def prepared(sizes: Sizes, cache: Path, data_root: Path | None) -> Path:
    """Prepare the data set and its bank into ``cache``; returns the prepared folder."""
    config = parse_trial(sized(sizes))
    root = data_root or (EXCERPTS if sizes is TINY else None)
    folder = prepare(config.data, root, cache)
    cached_bank(load_prepared(folder), config.basis)
    return folder


def pack(folder: Path, data_root: Path | None) -> str:
    """Prepare ZINC and its bank into a folder that can travel; returns what was made."""
    with tempfile.TemporaryDirectory() as place:  # downloads and locks stay behind
        cache = Path(place)
        prepared(FULL, cache, data_root)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("prepared", "banks"):
            shutil.copytree(cache / name, folder / name, dirs_exist_ok=True)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{folder}: ZINC and its bank, {size / 2**20:.1f} MiB; take it along, and name it --data"
