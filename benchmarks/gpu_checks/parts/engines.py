"""The fast engine on the device against the reference in float64 on the CPU, for one training step.

Compared for each tensor and replicate: outputs, loss, gradients, their squares, what was added to
parameters and buffers, step counts. TF32, which rounds the factors of matrix products, is apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from gpu_checks.bench import VARIANTS, Bench, Row
from gpu_checks.compare import (
    Named,
    changes,
    check,
    checked,
    relative,
    state_of,
    worst_by_replicate,
)
from pdf_search.config import TrialConfig
from pdf_search.training.device import use_precision
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits

RATE = 1e-3
LIMIT, WITH_KINKS, TF32 = 2e-4, 2e-2, 0.1
KINKS = ("relu",)  # ReLU and the largest of a graph: rounding may choose the other side
SURE = 1e-2  # of a tensor's mean size: smaller gradients may have another sign after rounding


def rows(bench: Bench) -> Iterator[Row]:
    for name in VARIANTS:
        config = bench.config(2, name)
        theirs = step(bench.truth(config), graphs_of(bench, config))
        _, make = bench.setup(config)
        ours = step(make(), graphs_of(bench, config))
        yield from compared(name, ours, theirs, WITH_KINKS if name in KINKS else LIMIT)
        if bench.gpu:
            use_precision("tf32", bench.device)
            ours = step(make(), graphs_of(bench, config))
            use_precision("float32", bench.device)
            yield from roughly(f"{name}, tf32", ours, theirs, TF32)
    yield from diverged(bench)


@dataclass(frozen=True)
class Step:
    """What a training step on some graphs did."""

    predictions: Tensor  # of the same graphs, before
    loss: Tensor
    added: dict[str, Named]


def graphs_of(bench: Bench, config: TrialConfig) -> Tensor:
    splits = ReplicateSplits.of(config, bench.data)
    return bench.few(splits, splits.epoch_order(1))


def step(trainer: ReplicateTrainer, graphs: Tensor) -> Step:
    before = state_of(trainer)
    graphs = graphs.to(trainer.mean.device)
    predictions = torch.stack(trainer.predict(graphs))
    loss = trainer.train_step(1, 0, graphs, RATE).detach().cpu()
    return Step(predictions, loss, changes(before, state_of(trainer)))


def roughly(name: str, ours: Step, theirs: Step, limit: float) -> Iterator[Row]:
    """What TF32 leaves: a step's sign may differ where a gradient is small."""
    yield check(f"{name}: loss", relative(ours.loss, theirs.loss), limit)
    # After one step the moment is a tenth of the gradient, and the square a thousandth of its own.
    gradients = worst_by_replicate(on_cpu(ours.added["moment"]), theirs.added["moment"])
    yield checked(f"{name}: gradients", gradients, limit)


def compared(name: str, ours: Step, theirs: Step, limit: float) -> Iterator[Row]:
    yield from roughly(name, ours, theirs, limit)
    yield check(f"{name}: predictions", relative(ours.predictions, theirs.predictions), limit)
    for kind in ("square", "buffer", "steps"):
        found = worst_by_replicate(on_cpu(ours.added[kind]), theirs.added[kind])
        yield checked(f"{name}: {kind}", found, 2 * limit if kind == "square" else limit)
    sure = {name: certain(moment) for name, moment in theirs.added["moment"].items()}
    changed = {
        name: (ours.added["parameter"][name].cpu() * sure[name], added * sure[name])
        for name, added in theirs.added["parameter"].items()
    }
    found = worst_by_replicate(*({n: pair[i] for n, pair in changed.items()} for i in (0, 1)))
    yield checked(f"{name}: changes of parameters", found, limit)


def certain(moment: Tensor) -> Tensor:
    """Where a gradient is large enough for the sign of its step to be sure; all zero: nowhere."""
    size = moment.square().mean(tuple(range(1, moment.dim())), keepdim=True).sqrt()
    whole = moment.abs().amax()
    return (moment.abs() > SURE * size) & (size > 1e-9 * whole) & (size > 1e-12)


def on_cpu(named: Named) -> Named:
    return {name: tensor.cpu() for name, tensor in named.items()}


def diverged(bench: Bench) -> Iterator[Row]:
    """A replicate whose parameters are lost: its loss says so; the other is as it was."""
    config = bench.config(2)
    graphs = graphs_of(bench, config)
    theirs = step(bench.truth(config), graphs)
    for bad in (float("nan"), float("inf")):
        _, make = bench.setup(config)
        trainer = make()
        with torch.no_grad():
            trainer.optimizer.values[0] = bad
        ours = step(trainer, graphs)
        hidden = bool(ours.loss[0].isfinite())
        name = f"parameters of {bad} in one replicate"
        yield check(f"{name}: its loss is finite", float(hidden), 0.5)
        yield check(f"{name}: the other's loss", relative(ours.loss[1], theirs.loss[1]), 1e-4)
        other = {n: t[1:].cpu() for n, t in ours.added["moment"].items()}
        true = {n: t[1:] for n, t in theirs.added["moment"].items()}
        yield checked(f"{name}: the other's gradients", worst_by_replicate(other, true), 2e-4)
