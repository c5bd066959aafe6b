"""A trial that cannot fit is refused with the sizes, before anything is built."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from pdf_search.config import BasisConfig
from pdf_search.data import Prepared
from pdf_search.data.banks import cached_bank
from pdf_search.errors import TrialError
from pdf_search.graphs import GraphSet, estimate_near_pairs, reach
from pdf_search.model.fast_data import FastData
from pdf_search.training import memory
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.cuda_graph.replay import emulated
from pdf_search.training.cuda_graph.trainer import CudaGraphTrainer
from pdf_search.training.memory import (
    BYTES_A_PAIR,
    SHARE,
    Footprint,
    MemoryPlan,
    check_memory,
    decide,
)
from pdf_search.training.replicates import EpochOrder, ReplicateSplits
from tests.training.trials import run, trial


def free(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    available = pairs * BYTES_A_PAIR
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=available))


def test_refused_with_the_sizes_and_the_remedy(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 100)
    with pytest.raises(TrialError, match=r"pairs need about .* GB, .* free.*hop support"):
        check_memory(trial(), freesolv)


@pytest.mark.parametrize(
    ("support", "words"),
    [
        (
            {"hops": 3},
            r"Use fewer hops \(basis.support: \{hops: 1\}\), or a machine with more memory",
        ),
        ({"hops": 1}, "Use a machine with more memory"),
    ],
)
def test_a_remedy_that_is_in_use_already_is_not_named(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch, support: dict[str, int], words: str
) -> None:
    free(monkeypatch, 100)
    with pytest.raises(TrialError, match=rf"are free\. {words}: all graphs of the set are kept"):
        check_memory(trial(basis={"pairs": ((-0.3, 2),), "support": support}), freesolv)


def test_edge_types_count(freesolv: Prepared) -> None:
    """ogbg-ppa has about as many as edges, and every layer transforms each."""
    config = trial()
    bank = cached_bank(freesolv, config.basis)
    graphs = freesolv.graphs
    many = replace(graphs, edge_types=np.zeros((100_000, graphs.edge_types.shape[1])))
    few, more = (Footprint.of(config, g, bank, 1).step for g in (graphs, many))
    rows, hidden = len(many.edge_types), config.model.hidden
    assert more - few > config.model.layers * (rows - len(graphs.edge_types)) * hidden * 4


def test_pairs_are_estimated_once_a_process(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each length of a walk: that alone decides, beside the data, which pairs are near."""
    asked: list[int] = []

    def estimate(graphs: GraphSet, basis: BasisConfig) -> int:
        asked.append(reach(basis))
        return estimate_near_pairs(graphs, basis)

    monkeypatch.setattr(memory, "estimate_near_pairs", estimate)
    monkeypatch.setattr(memory, "_estimates", {})
    for pairs in (((-0.3, 2),), ((-0.1, 1), (-0.4, 2)), ((-0.3, 3),), ((-0.2, 2),)):
        check_memory(trial(basis={"pairs": pairs}), freesolv)
    check_memory(trial(basis={"pairs": ((-0.3, 2),), "support": {"hops": 3}}), freesolv)
    check_memory(trial(basis={"pairs": ((-0.3, 2),), "support": {"hops": 1}}), freesolv)
    assert asked == [2, 3, 1]


def test_dropout_lists_all_pairs(freesolv: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    every = int((freesolv.graphs.node_count**2).sum())
    free(monkeypatch, every - 1)
    one_step = {"pairs": ((-0.3, 1),)}
    check_memory(trial(basis=one_step), freesolv)
    with pytest.raises(TrialError, match=f"{every:,} pairs"):
        check_memory(trial(basis=one_step, model={"hidden": 8, "dropout": 0.1}), freesolv)


CPU, GPU = torch.device("cpu"), torch.device("cuda")
NEEDS = Footprint(lists=1000, state=10, step=100, built=20, kept=50)


def plan(monkeypatch: pytest.MonkeyPatch, room: int, host: int = 10**6) -> MemoryPlan:
    """For four replicates of 50 steps on a GPU with this much room."""
    monkeypatch.setattr(memory, "free_bytes", lambda device: host)  # noqa: ARG005
    return decide(NEEDS, 4, 50, GPU, int(room / SHARE) + 1)


def test_a_gpu_falls_back_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """All there; no next epoch; fewer steps at once; nothing kept; host memory; groups; refused."""
    fixed = 4 * (NEEDS.state + NEEDS.step)
    kept = 4 * NEEDS.kept
    twice = MemoryPlan(GPU, 4, 50, kept=True, beside=True)
    assert plan(monkeypatch, fixed + 1000 + kept + 100 * 80) == twice
    assert plan(monkeypatch, fixed + 1000 + kept + 99 * 80) == MemoryPlan(GPU, 4, 50, kept=True)
    assert plan(monkeypatch, fixed + 1000 + kept + 50 * 80) == MemoryPlan(GPU, 4, 50, kept=True)
    assert plan(monkeypatch, fixed + 1000 + kept + 30 * 80) == MemoryPlan(GPU, 4, 25, kept=True)
    assert plan(monkeypatch, fixed + 1000 + kept + 80) == MemoryPlan(GPU, 4, 1, kept=True)
    assert plan(monkeypatch, fixed + 1000 + kept + 79) == MemoryPlan(GPU, 4, 3, kept=False)
    assert plan(monkeypatch, fixed + 1000) == MemoryPlan(CPU, 4, 10, kept=True)
    assert plan(monkeypatch, fixed + 80) == MemoryPlan(CPU, 4, 1, kept=False)
    assert plan(monkeypatch, fixed) == MemoryPlan(CPU, 2, 5, kept=False)
    assert plan(monkeypatch, 40 + 120) == MemoryPlan(CPU, 1, 1, kept=False)
    with pytest.raises(TrialError, match="are free"):
        plan(monkeypatch, 40 + 110)
    with pytest.raises(TrialError, match="are free"):
        plan(monkeypatch, fixed + 500, host=900)


def test_trials_that_share_a_gpu_plan_with_their_fraction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1000 bytes; torch holds 100 of them, 30 in use."""
    for name, value in {
        "memory_allocated": 30,
        "memory_reserved": 100,
        "mem_get_info": (600, 1000),
    }.items():
        monkeypatch.setattr(torch.cuda, name, lambda _, value=value: value)
    for fraction, free in ((1.0, 670), (0.5, 470), (0.25, 220)):
        monkeypatch.setattr(
            torch.cuda, "get_per_process_memory_fraction", lambda _, value=fraction: value
        )
        assert memory.free_bytes(GPU) == free


def test_the_cpu_has_the_lists_beside_the_steps() -> None:
    room = 1000 + 4 * NEEDS.state + 3 * NEEDS.step
    assert decide(NEEDS, 4, 50, CPU, int(room / SHARE) + 1) == MemoryPlan(CPU, 2, 1)


@pytest.mark.parametrize(
    ("widest", "device", "together"),
    [(16 << 20, CPU, 2), (12 << 20, CPU, 2), (9 << 20, CPU, 3), (33 << 20, CPU, 6), (0, CPU, 6),
     (16 << 20, GPU, 6)],
)  # fmt: skip
def test_on_a_cpu_replicates_whose_tensors_would_be_mapped_anew_train_one_after_another(
    widest: int, device: torch.device, together: int
) -> None:
    needs = replace(NEEDS, widest=widest)
    assert decide(needs, 6, 50, device, 10**6).together == together


def test_the_largest_tensor_of_a_step_is_estimated(mutag: Prepared) -> None:
    model = {"softmax": False, "dropout": 0.2}
    config = trial("mutag", fraction=1.0, protocol="inner", folds=10, model=model)
    splits = ReplicateSplits.of(config, mutag).group(slice(0, 1))
    trainer = build_trainer(config, mutag, splits, CPU)
    bank = cached_bank(mutag, config.basis).subset(splits.numbers)
    with Sizes() as sizes:
        trainer.train_epoch(1, EpochOrder.of(splits, CPU)(1), 1e-3)
    estimate = Footprint.of(config, splits.graphs, bank, 1).widest
    assert 0.7 * sizes.largest < estimate < 1.5 * sizes.largest


class Sizes(TorchDispatchMode):
    """The bytes of the largest tensor that an operator returns."""

    largest = 0

    def __torch_dispatch__(self, op: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        returned = op(*args, **(kwargs or {}))
        tensors = [leaf for leaf in tree_leaves(returned) if isinstance(leaf, torch.Tensor)]
        self.largest = max([self.largest, *(tensor.nbytes for tensor in tensors)])
        return returned


def test_estimates_are_near_what_is_built(mutag: Prepared) -> None:
    """Lists within a factor of two; never less than a fifth too small."""
    for model in ({"softmax": False}, {"softmax": True}):
        config = trial("mutag", fraction=1.0, protocol="inner", folds=10, model=model)
        splits = ReplicateSplits.of(config, mutag)
        trainer = build_trainer(config, mutag, splits, CPU)
        bank = cached_bank(mutag, config.basis).subset(splits.numbers)
        estimate = Footprint.of(config, splits.graphs, bank, 1).lists
        data = trainer.data
        assert isinstance(data, FastData)
        lists = (data.messages, data.triples, data.pairs, data.row_lists, data.entry_lists)
        built = sum(column.nbytes for each in lists for column in each.columns)
        assert 0.8 * built < estimate < 2.5 * built


def test_the_estimate_and_the_choice_are_logged(
    freesolv: Prepared, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "pdf_search")
    run(trial(seeds=(0, 1), stop_epoch=1), freesolv)
    assert "pairs, about" in caplog.text
    assert "lists on cpu, 2 of 2 replicates together" in caplog.text


def test_kept_batches_of_predictions_are_estimated(mutag: Prepared) -> None:
    """Against those of the last fold, packed as a GPU has them."""
    config = trial("mutag", fraction=1.0, protocol="inner", folds=10, model={"softmax": False})
    splits = ReplicateSplits.of(config, mutag).group(slice(0, 1))
    trainer = CudaGraphTrainer(build_trainer(config, mutag, splits, CPU), emulated, 100)
    trainer.predict(splits.places("valid"))
    (packed,) = trainer.kept.values()
    bank = cached_bank(mutag, config.basis).subset(splits.numbers)
    count = len(splits.parts["valid"][0])
    estimate = Footprint.of(config, splits.graphs, bank, 1, predicted=count).kept
    assert 0.8 * packed.rows.nbytes < estimate < 10 * packed.rows.nbytes
