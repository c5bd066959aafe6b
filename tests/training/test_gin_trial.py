"""GIN behind ``run_trial``: it learns, replicates stay apart, a stopped run goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.data import Prepared
from pdf_search.records import State
from tests.training.trials import StopTrialError, folded, run, trial

GIN = {"architecture": "gin", "softmax": False, "filter_norm": False}


def test_it_learns_and_is_repeatable(freesolv: Prepared) -> None:
    config = trial(model=GIN, training={"epochs": 12}, phase="confirm")
    first, outcome = run(config, freesolv)
    second, _ = run(config, freesolv)
    assert outcome.state is State.COMPLETE
    assert first.curve == second.curve
    losses = [report.replicates[0].train_loss for report in first.reports]
    assert losses[-1] < 0.7 * losses[0]


def test_seeds_together_equal_seeds_alone(freesolv: Prepared) -> None:
    together, _ = run(trial(model=GIN, seeds=(3, 4)), freesolv)
    alone, _ = run(trial(model=GIN, seeds=(4,)), freesolv)
    for both, one in zip(together.reports, alone.reports, strict=True):
        assert both.replicates[1].train_loss == pytest.approx(
            one.replicates[0].train_loss, rel=1e-4
        )
        assert both.replicates[1].valid == pytest.approx(one.replicates[0].valid, rel=1e-3)


def test_folds_without_edge_input_stopped_and_continued(mutag: Prepared, tmp_path: Path) -> None:
    config = folded(model=GIN, phase="confirm", fraction=0.5)
    whole, _ = run(config, mutag)
    with pytest.raises(StopTrialError):
        run(config, mutag, folder=tmp_path, save_at=2, stop_at=3)
    rest, outcome = run(config, mutag, resume=tmp_path)
    assert outcome.state is State.COMPLETE
    assert rest.curve == whole.curve[2:]
    assert len(whole.reports[0].replicates) == 10
