"""A trial on real data: the same curve again, stopped and continued, alone and together."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import ResourceError, TrialError
from pdf_search.records import Phase, Replicate, State
from pdf_search.training import replicate_trainer
from pdf_search.training.trial import run_trial
from tests.training.trials import StopTrialError, folded, run, trial

CONFIRM = Phase.CONFIRM
DROPOUT = {"dropout": 0.3, "head": "mlp"}


def test_the_same_seed_gives_the_same_curve_and_another_one_another(freesolv: Prepared) -> None:
    first, outcome = run(trial(), freesolv)
    assert outcome.state is State.COMPLETE
    assert outcome.epochs == 4
    assert [r.epoch for r in first.reports] == [1, 2, 3, 4]
    assert run(trial(), freesolv)[0].curve == first.curve
    other = run(trial(seeds=(1,)), freesolv)[0]
    assert other.reports[-1].replicates != first.reports[-1].replicates


def test_training_learns(freesolv: Prepared) -> None:
    config = trial(fraction=0.3, training={"epochs": 12, "learning_rate": 1e-2})
    recorder, _ = run(config, freesolv)
    losses = [r.replicates[0].train_loss for r in recorder.reports]
    assert losses[-1] < 0.6 * losses[0]
    assert recorder.reports[-1].valid is not None
    assert all(r.seconds > 0 and r.peak_mb > 0 for r in recorder.reports)


@pytest.mark.parametrize(
    "config",
    [
        trial(),
        trial(model=DROPOUT),
        trial(phase=CONFIRM, model=DROPOUT, seeds=(0, 5)),
    ],
    ids=["search", "dropout", "confirm"],
)
@pytest.mark.parametrize("stop", [1, 3])
def test_stopped_and_continued_is_the_same_bit_for_bit(
    config: TrialConfig, stop: int, freesolv: Prepared, tmp_path: Path
) -> None:
    whole, _ = run(config, freesolv, folder=tmp_path / "whole", save_at=4)
    with pytest.raises(StopTrialError):
        run(config, freesolv, folder=tmp_path / "half", save_at=stop, stop_at=stop)
    rest, outcome = run(config, freesolv, tmp_path / "half", folder=tmp_path / "rest", save_at=4)
    assert outcome.state is State.COMPLETE
    assert rest.curve == whole.curve[stop:]
    if config.phase is CONFIRM:
        one, other = (
            pd.read_parquet(tmp_path / n / "predictions.parquet") for n in ("whole", "rest")
        )
        pd.testing.assert_frame_equal(one, other)
    assert not (tmp_path / "rest" / "predictions.parquet").exists() or config.phase is CONFIRM


def test_folds_stopped_and_continued(mutag: Prepared, tmp_path: Path) -> None:
    config = folded(phase=CONFIRM, training={"epochs": 3, "batch_size": 8})
    whole, _ = run(config, mutag, folder=tmp_path / "whole", save_at=3)
    with pytest.raises(StopTrialError):
        run(config, mutag, folder=tmp_path / "half", save_at=2, stop_at=2)
    rest, _ = run(config, mutag, tmp_path / "half", folder=tmp_path / "rest", save_at=3)
    assert rest.curve == whole.curve[2:]
    one, other = (pd.read_parquet(tmp_path / n / "predictions.parquet") for n in ("whole", "rest"))
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("folds", [False, True])
def test_a_continued_trial_knows_the_epochs_before_it(
    folds: bool, freesolv: Prepared, mutag: Prepared, tmp_path: Path
) -> None:
    """At this rate nothing moves, so that the first epoch is best and stays so."""
    plain = {"filter_norm": False, "ffn_norm": False}
    changes = {"phase": CONFIRM, "model": plain, "training": {"learning_rate": 1e-30}}
    config, data = (folded(**changes), mutag) if folds else (trial(**changes), freesolv)
    with pytest.raises(StopTrialError):
        run(config, data, folder=tmp_path / "half", save_at=2, stop_at=2)
    rest, _ = run(config, data, tmp_path / "half", folder=tmp_path, save_at=4)
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["selection"]
    if folds:
        (mean,) = set(kept["mean_curve"])
        assert (len(kept["mean_curve"]), len(kept["curve"])) == (4, 4)
        tests = [r.test for r in rest.reports[0].replicates if r.test is not None]
        assert mean == pytest.approx(np.mean(tests))
    else:
        assert kept["best_epoch"] == [1]
        assert kept["best"] == [rest.reports[0].replicates[0].valid]


def test_a_finished_trial_continued_reports_nothing(freesolv: Prepared, tmp_path: Path) -> None:
    run(trial(), freesolv, folder=tmp_path, save_at=4)
    again, outcome = run(trial(), freesolv, tmp_path)
    assert again.reports == []
    assert (outcome.state, outcome.epochs) == (State.COMPLETE, 4)


def test_a_cut_run_has_the_same_first_epochs(freesolv: Prepared, tmp_path: Path) -> None:
    training = {"schedule": {"kind": "cosine", "warmup": 1}}
    whole, _ = run(trial(training=training), freesolv)
    cut = trial(training=training, stop_epoch=3)  # the second epoch has the peak in any case
    short, outcome = run(cut, freesolv, folder=tmp_path, save_at=3)
    assert outcome.epochs == 3
    assert short.curve == whole.curve[:3]
    rest, _ = run(trial(training=training), freesolv, tmp_path)  # the budget grows
    assert rest.curve == whole.curve[3:]
    late, outcome = run(trial(stop_epoch=100), freesolv)
    assert outcome.epochs == len(late.reports) == 4


@pytest.mark.parametrize(
    "change",
    [{"seeds": (1,)}, {"fraction": 0.2}, {"model": {"hidden": 9}}, {"phase": CONFIRM}],
    ids=str,
)
def test_a_checkpoint_of_another_configuration_is_refused(
    change: dict[str, Any], freesolv: Prepared, tmp_path: Path
) -> None:
    run(trial(stop_epoch=1), freesolv, folder=tmp_path, save_at=1)
    with pytest.raises(TrialError, match="saved with configuration"):
        run(trial(**change), freesolv, tmp_path)


def test_a_checkpoint_of_changed_data_is_refused(freesolv: Prepared, tmp_path: Path) -> None:
    run(trial(stop_epoch=1), freesolv, folder=tmp_path, save_at=1)
    with pytest.raises(TrialError, match="saved with data"):
        run(trial(), replace(freesolv, fingerprint="changed"), tmp_path)


def values(recorder: Any, replicate: int) -> np.ndarray:
    rows = [r.replicates[replicate] for r in recorder.reports]
    return np.array(
        [[e.train_loss, *(v for v in (e.valid, e.test) if v is not None)] for e in rows]
    )


@pytest.mark.parametrize("phase", list(Phase))
def test_a_fold_among_ten_equals_the_fold_alone(
    phase: Phase, mutag: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MUTAG's folds differ by a graph, so that some replicates idle in the last step."""
    config = folded(phase=phase, model={"dropout": 0.2}, training={"epochs": 2, "batch_size": 13})
    together, _ = run(config, mutag)
    assert len(together.reports[0].replicates) == 10
    for replicate in (0, 4, 9):
        alone_is = property(lambda _, fold=replicate: (Replicate(0, fold),))
        monkeypatch.setattr(TrialConfig, "replicates", alone_is)
        alone, _ = run(config, mutag)
        np.testing.assert_allclose(values(together, replicate), values(alone, 0), rtol=2e-4)
        monkeypatch.undo()


@pytest.mark.parametrize("norms", [False, True])
def test_seeds_together_equal_seeds_alone(norms: bool, freesolv: Prepared) -> None:
    # A bias before a BatchNorm has no gradient but rounding noise, whose sign Adam follows. It
    # moves no training output, but the running mean lags behind it: evaluations agree less closely.
    model = {"dropout": 0.2, "filter_norm": norms, "ffn_norm": norms}
    config = {"model": model, "training": {"epochs": 2}}
    together, _ = run(trial(seeds=(7, 0, 3), **config), freesolv)
    assert len({r.train_loss for r in together.reports[0].replicates}) == 3
    for replicate, seed in enumerate((7, 0, 3)):
        alone, _ = run(trial(seeds=(seed,), **config), freesolv)
        ours, theirs = values(together, replicate), values(alone, 0)
        np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=1e-4)
        np.testing.assert_allclose(ours[:, 1], theirs[:, 1], rtol=5e-3 if norms else 1e-4)


def test_values_do_not_depend_on_the_prediction_batch(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = run(trial(phase=CONFIRM, stop_epoch=2), freesolv)
    for size in (1, 7):
        monkeypatch.setattr(replicate_trainer, "PREDICTION_BATCH", size)
        part, _ = run(trial(phase=CONFIRM, stop_epoch=2), freesolv)
        np.testing.assert_allclose(values(part, 0), values(whole, 0), rtol=1e-5)


def test_a_huge_learning_rate_diverges(freesolv: Prepared) -> None:
    config = trial(
        training={"learning_rate": 1e30, "weight_decay": 1.0, "loss": "mse", "epochs": 9}
    )
    recorder, outcome = run(config, freesolv)
    assert outcome.state is State.DIVERGED
    assert "replicate 0" in outcome.message
    assert f"epoch {outcome.epochs}" in outcome.message
    assert recorder.reports[-1].epoch == outcome.epochs < 9
    last = recorder.reports[-1].replicates[0]
    assert not all(isfinite(v) for v in (last.train_loss, last.valid) if v is not None)


def test_a_missing_device_is_refused_before_work(freesolv: Prepared) -> None:
    config = trial().model_copy(update={"device": "cuda"})
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ResourceError, match="no GPU"):
        run_trial(config, freesolv, lambda *_: None)
