"""How many kernels a recorded training step launches on a GPU, counted without one.

    python benchmarks/step_launches.py
    PYTHONPATH=OTHER_CHECKOUT python benchmarks/step_launches.py

The step of the published ZINC network runs on tensors that have a shape and no content, with
Triton's kernels stood in for. Counted are those, and each operation of torch that computes: a view
or new memory launches nothing, and few operations launch two kernels. So it is no measurement.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(1, str(Path(__file__).resolve().parent))

from gpu_checks.bench import EXCERPTS, VARIANTS

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.kernels import triton as kernels
from pdf_search.model import FastData, Sizes, stack
from pdf_search.space import paper_trial
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.cuda_graph.packed_steps import map_tensors
from pdf_search.training.cuda_graph.trainer import in_steps
from pdf_search.training.optimizer import AdamW
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits

MODULES = ("adamw", "batch_norm", "dropout", "messages", "segment_product")
NEW_MEMORY = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
CPU = torch.device("cpu")


class Launches(TorchDispatchMode):
    """Counts the operations of torch that compute, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if not func.is_view and name not in (*NEW_MEMORY, "detach", "_unsafe_view"):
            self.counts[name] += 1
        return func(*args, **(kwargs or {}))


class Kernel:
    """Stands in for a Triton kernel."""

    def __init__(self, name: str, counts: Counter[str]) -> None:
        self.name, self.counts = name, counts

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        self.counts[self.name] += 1
        return lambda *_, **__: None


def step_launches(config: TrialConfig, data: Prepared) -> Counter[str]:
    """Launches of a recorded training step, by kernel or operation."""
    splits = ReplicateSplits.of(config, data)
    trainer = build_trainer(config, data, splits, CPU)
    assert isinstance(trainer.data, FastData)
    size = config.training.batch_size
    batches, _ = stack(trainer.data, in_steps(splits.epoch_order(1), size), Sizes(), True)
    bare, batch = without_content(trainer), map_tensors(batches, lambda t: empty(t[0]))
    most = int(splits.graphs.node_count.max())  # which collation on a GPU knows
    batch = replace(batch, messages=replace(batch.messages, most=most))
    keys = empty(torch.zeros(len(splits.replicates), dtype=torch.int64))
    rate = empty(torch.zeros(()))
    launches = Launches()
    with on_a_gpu(launches.counts):
        bare.learn(batch, keys, rate)  # plans are made once
        launches.counts.clear()
        with launches:
            bare.learn(batch, keys, rate)
    return launches.counts


def empty(tensor: Tensor) -> Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def without_content(trainer: ReplicateTrainer) -> ReplicateTrainer:
    """The same trainer with tensors of shape alone."""
    for module in trainer.model.modules():
        for name, parameter in module._parameters.items():
            if parameter is not None:
                module._parameters[name] = nn.Parameter(empty(parameter.contiguous()))
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = empty(buffer)
    return replace(
        trainer,
        optimizer=AdamW(trainer.model.parameters(), 0.1),
        rows=empty(trainer.rows),
        edge_types=empty(trainer.edge_types),
        mean=empty(trainer.mean),
        std=empty(trainer.std),
    )


@contextmanager
def on_a_gpu(counts: Counter[str]) -> Iterator[None]:
    """Let Triton's kernels serve every tensor, and count their launches instead of running them."""
    found = [sys.modules[f"{kernels.__name__}.{name}"] for name in MODULES]
    old: list[tuple[ModuleType, str, Any]] = [
        (module, name, value)
        for module in found
        for name, value in vars(module).items()
        if hasattr(value, "fn")
    ]
    asked = "runs_triton"
    asking = [m for m in sys.modules.values() if hasattr(m, asked)]
    try:
        for module in asking:
            old.append((module, asked, getattr(module, asked)))
            setattr(module, asked, lambda _: True)
        for module, name, _ in old[: -len(asking)]:
            label = f"triton {module.__name__.rpartition('.')[2]}.{name.strip('_')}"
            setattr(module, name, Kernel(label, counts))
        yield
    finally:
        for module, name, value in old:
            setattr(module, name, value)


def zinc(variant: str, replicates: int) -> TrialConfig:
    """The published ZINC setting, or a variant of its network."""
    tree = dict(paper_trial("zinc"))
    tree["model"] = {**tree["model"], **VARIANTS[variant]}
    return parse_trial(tree | {"seeds": list(range(replicates)), "device": "cpu"})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=["zinc"])
    parser.add_argument("--replicates", type=int, default=8)
    arguments = parser.parse_args()
    for variant in arguments.variants:
        config = zinc(variant, arguments.replicates)
        data = load_prepared(prepare(config.data, EXCERPTS))
        counts = step_launches(config, data)
        print(f"{variant}, {arguments.replicates} replicates: {counts.total()} launches")
        for name, count in counts.most_common():
            print(f"{count:6} {name}")


if __name__ == "__main__":
    main()
