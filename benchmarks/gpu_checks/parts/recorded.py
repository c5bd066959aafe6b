"""Recorded steps against eager ones on the same device, over two epochs.

Compared: losses, predictions, what was added to parameters, moments and buffers, step counts. Then
steps that must be recorded again, steps without a graph, and whether any step waits for the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from gpu_checks.bench import AT_ONCE, VARIANTS, Bench, Row
from gpu_checks.compare import (
    Named,
    changes,
    check,
    checked,
    relative,
    state_of,
    worst_by_replicate,
)
from gpu_checks.parts.engines import certain, on_cpu
from pdf_search.training.cuda_graph.replay import emulated
from pdf_search.training.cuda_graph.trainer import CudaGraphTrainer
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits

RATE = 1e-4
QUICK = ("zinc", "dropout")  # where a step takes seconds; ``engines`` has all
# A bias before a norm moves by the sign of rounding, which evaluation sees.
OF_PREDICTIONS = 1e-2
LIMIT = 1e-3  # other shapes round differently
OF_PARAMETERS = 1e-2  # the first step of a number whose gradient is nearly 0 has its sign alone


def rows(bench: Bench) -> Iterator[Row]:
    for name in QUICK if bench.interpreted else VARIANTS:
        yield from against_eager(bench, name)
    yield from without_graphs(bench)
    yield from waiting(bench)


def some(bench: Bench, splits: ReplicateSplits, graphs: Tensor) -> Tensor:
    """All of the graphs, or those of one step."""
    return bench.few(splits, graphs) if bench.interpreted else graphs.to(bench.device)


def against_eager(bench: Bench, name: str) -> Iterator[Row]:
    config = bench.config(2, name)
    splits, make = bench.setup(config)
    eager, other = make(), make()
    static = CudaGraphTrainer(other, bench.recorder, AT_ONCE)
    valid = some(bench, splits, splits.places("valid"))
    before = state_of(eager)
    losses: list[tuple[Tensor, Tensor]] = []
    predictions: list[tuple[Tensor, Tensor]] = []
    for epoch in (1, 2):
        order = some(bench, splits, splits.epoch_order(epoch))
        if epoch == 1:  # one graph each: the second epoch needs more room, and a new recording
            order = order[:, :1]
        ours, theirs = (p.train_epoch(epoch, order, RATE) for p in (static, eager))
        losses.append((ours, theirs))
        if epoch == 2 or not bench.interpreted:
            ours, theirs = (torch.cat(p.predict(valid)) for p in (static, eager))
            predictions.append((ours, theirs))
    yield check(f"{name}: losses", max(relative(*pair) for pair in losses), LIMIT)
    yield check(
        f"{name}: predictions", max(relative(*pair) for pair in predictions), OF_PREDICTIONS
    )
    changed, wanted = (changes(before, state_of(trainer)) for trainer in (other, eager))
    yield from compared(name, changed, wanted)
    static.close()


def compared(name: str, ours: dict[str, Named], theirs: dict[str, Named]) -> Iterator[Row]:
    sure = {n: certain(t) for n, t in theirs["moment"].items()}
    for kind in theirs:
        pair = [on_cpu(side[kind]) for side in (ours, theirs)]
        if kind in ("parameter", "moment", "square"):
            pair = [{n: t * sure[n].cpu() for n, t in named.items()} for named in pair]
        limit = OF_PARAMETERS if kind == "parameter" else LIMIT
        yield checked(f"{name}: {kind}", worst_by_replicate(*pair), limit)
    grown = {n: float(t.norm()) for n, t in ours["parameter"].items() if bool(sure[n].any())}
    still = [n for n, size in grown.items() if size == 0]
    yield check(f"{name}: parameters that did not change", len(still), 0.5, worst=str(still[:3]))


def without_graphs(bench: Bench) -> Iterator[Row]:
    """Recording runs the step several times on no graph: that may change nothing."""
    splits, make = bench.setup(bench.config(2, "softmax"))
    trainer = make()
    static = CudaGraphTrainer(trainer, bench.recorder, AT_ONCE)
    graphs = bench.few(splits, splits.epoch_order(1))
    static.train_epoch(1, graphs, RATE)
    before = state_of(trainer)
    static.train_epoch(2, torch.full_like(graphs, -1), RATE)
    added = changes(before, state_of(trainer))
    most = max(float(t.abs().max()) for named in added.values() for t in named.values())
    yield check("a step without graphs: the largest change", most, 0.0)
    static.close()


def waiting(bench: Bench) -> Iterator[Row]:
    """No operation of a step may wait for the device: torch raises where one does."""
    for name in VARIANTS if bench.gpu else ():
        splits, make = bench.setup(bench.config(2, name))
        steps = collected(bench, make(), splits)
        torch.cuda.set_sync_debug_mode("error")
        try:
            for step in steps:
                step()
            waited = ""
        except RuntimeError as error:
            waited = str(error)
        finally:
            torch.cuda.set_sync_debug_mode("default")
        yield check(f"{name}: steps that wait", float(bool(waited)), 0.5, worst=waited[:200])


def collected(
    bench: Bench, trainer: ReplicateTrainer, splits: ReplicateSplits
) -> list[Callable[[], None]]:
    """The steps that a trainer would record."""
    steps: list[Callable[[], None]] = []

    def keep(step: Callable[[], None]) -> Any:
        steps.append(step)
        return emulated(step)

    static = CudaGraphTrainer(trainer, keep, AT_ONCE)
    static.train_epoch(1, splits.epoch_order(1).to(bench.device), RATE)
    static.predict(splits.places("valid").to(bench.device))
    return steps
