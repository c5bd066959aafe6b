"""What a trial holds is freed when it ends, without waiting for the cyclic collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from pdf_search.data import Prepared
from pdf_search.model.fast_data import FastData
from pdf_search.training import build_trainers as build
from pdf_search.training import trial as trial_module
from pdf_search.training.cuda_graph.packed_steps import Packed
from pdf_search.training.cuda_graph.replay import emulated
from pdf_search.training.groups import Groups
from tests.training.trials import StopTrialError, run, trial

HELD = (torch.Tensor, nn.Module, FastData, Packed)


def held() -> int:
    """How many tensors, modules, data sets and packed steps are alive."""
    return sum(issubclass(type(thing), HELD) for thing in gc.get_objects())


@pytest.fixture
def _without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_without_collector")
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("stop_at", [None, 2])
def test_two_trials_one_after_another_return_to_the_baseline(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch, recorded: bool, stop_at: int | None
) -> None:
    """Whether it ends by itself or is stopped, as an early-stopped one is."""
    if recorded:
        monkeypatch.setattr(build, "replay_for", lambda device, steps: emulated)  # noqa: ARG005
    counts = []
    for _ in range(3):  # the first fills the caches of the process
        if stop_at is None:
            run(trial(seeds=(0, 1)), freesolv)
        else:
            with pytest.raises(StopTrialError):
                run(trial(seeds=(0, 1)), freesolv, stop_at=stop_at)
        counts.append(held())
    assert counts[0] == counts[1] == counts[2]


@pytest.mark.usefixtures("_without_collector")
def test_trainers_are_freed_before_those_with_other_settings_are_built(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory is planned then, and two sets of recordings need not fit."""
    change = {"after": 2, "learning_rate": 2e-2, "weight_decay": 0.0, "dropout": 0.0}
    models: list[weakref.ref[nn.Module]] = []
    make = trial_module.build_groups

    def build_groups(*arguments: Any) -> Groups:
        assert all(model() is None for model in models)
        groups = make(*arguments)
        models.append(weakref.ref(groups.groups[0].eager.model))
        return groups

    monkeypatch.setattr(trial_module, "build_groups", build_groups)
    run(trial(training={"changes": (change,)}), freesolv)
    assert len(models) == 2
