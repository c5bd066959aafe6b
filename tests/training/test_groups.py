"""Replicates that do not fit together: groups, one after another, with the same numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.training import build_trainers as build
from pdf_search.training import memory
from pdf_search.training.cuda_graph.replay import emulated
from pdf_search.training.memory import Footprint
from tests.training.trials import StopTrialError, run, trial

SEEDS = (0, 4, 9, 2, 7)


def room_for(monkeypatch: pytest.MonkeyPatch, replicates: int) -> list[int]:
    """A budget that holds this many replicates of the trial's five; gives the groups made."""
    sizes: list[int] = []
    decide = memory.decide

    def small(*arguments: object) -> memory.MemoryPlan:
        needs = arguments[0]
        assert isinstance(needs, Footprint)
        free = needs.lists + len(SEEDS) * needs.state + replicates * needs.step
        plan = decide(*arguments[:-1], int(free / memory.SHARE) + 100)  # type: ignore[arg-type]
        sizes.append(plan.together)
        return plan

    monkeypatch.setattr(memory, "decide", small)
    return sizes


def curves(config: TrialConfig, data: Prepared, resume: Path | None = None) -> Tensor:
    """Training loss, validation and test value of each epoch and replicate."""
    recorder, _ = run(config, data, resume)
    return torch.tensor(
        [
            [(r.train_loss, r.valid or 0.0, r.test or 0.0) for r in report.replicates]
            for report in recorder.reports
        ]
    )


@pytest.mark.parametrize("model", [{}, {"dropout": 0.2}, {"softmax": False}])
@pytest.mark.parametrize("static", [False, True])
def test_groups_give_the_numbers_of_all_together(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch, model: dict[str, object], static: bool
) -> None:
    config = trial(model=model, seeds=SEEDS, phase="confirm")
    together = curves(config, freesolv)
    if static:
        monkeypatch.setattr(build, "replay_for", lambda device, steps: emulated)  # noqa: ARG005
    sizes = room_for(monkeypatch, 2)
    grouped = curves(config, freesolv)
    assert sizes == [2]
    torch.testing.assert_close(grouped, together, rtol=1e-5, atol=1e-5)


def test_a_checkpoint_of_groups_continues_together(
    freesolv: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = trial(seeds=SEEDS, phase="confirm")
    whole = curves(config, freesolv)
    with monkeypatch.context() as patch:
        room_for(patch, 3)
        with pytest.raises(StopTrialError):
            run(config, freesolv, folder=tmp_path, save_at=2, stop_at=2)
    rest = curves(config, freesolv, tmp_path)
    torch.testing.assert_close(rest, whole[2:], rtol=1e-4, atol=1e-4)


def test_not_even_one_is_refused_with_the_sizes(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    room_for(monkeypatch, 0)
    with pytest.raises(TrialError, match=r"one replicate needs about .* GB.*are free.*smaller"):
        run(trial(seeds=SEEDS), freesolv)
