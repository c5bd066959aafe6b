"""Learning rate, weight decay and dropout that change on the way, as population training does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from tests.training.trials import StopTrialError, run, trial

CHANGE = {"after": 2, "learning_rate": 2e-2, "weight_decay": 0.3, "dropout": 0.4}


def changed(*changes: dict[str, float]) -> TrialConfig:
    return trial(training={"changes": changes})


def stopped(config: TrialConfig, data: Prepared, folder: Path, epoch: int) -> Path:
    with pytest.raises(StopTrialError):
        run(config, data, folder=folder, save_at=epoch, stop_at=epoch)
    return folder


def test_a_change_holds_from_the_epoch_after_it(freesolv: Prepared) -> None:
    plain, new = run(trial(), freesolv)[0].curve, run(changed(CHANGE), freesolv)[0].curve
    assert new[:2] == plain[:2]
    assert [rate for _, rate, _ in new] == [5e-3, 5e-3, 2e-2, 2e-2]
    for name, same in (("weight_decay", 0.0), ("dropout", 0.0)):
        other = run(changed({**CHANGE, name: same}), freesolv)[0].curve
        assert other[3] != new[3], name


def test_weights_and_moments_stay_when_settings_change(freesolv: Prepared) -> None:
    same = {"after": 2, "learning_rate": 5e-3, "weight_decay": 1e-9, "dropout": 0.0}
    plain, new = run(trial(), freesolv)[0].reports, run(changed(same), freesolv)[0].reports
    losses = [[r.replicates[0].train_loss for r in reports] for reports in (plain, new)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


def test_another_trials_checkpoint_goes_on_with_changed_settings(
    freesolv: Prepared, tmp_path: Path
) -> None:
    """What follows is bit for bit the run whose settings change at that epoch."""
    folder = stopped(trial(), freesolv, tmp_path, 2)
    rest, _ = run(changed(CHANGE), freesolv, folder)
    assert rest.curve == run(changed(CHANGE), freesolv)[0].curve[2:]


def test_a_changed_run_is_continued_bit_for_bit(freesolv: Prepared, tmp_path: Path) -> None:
    config = changed(CHANGE, {**CHANGE, "after": 3, "dropout": 0.0})
    rest, _ = run(config, freesolv, stopped(config, freesolv, tmp_path, 3))
    assert rest.curve == run(config, freesolv)[0].curve[3:]


def test_a_checkpoint_with_another_past_is_refused(freesolv: Prepared, tmp_path: Path) -> None:
    folder = stopped(changed(CHANGE), freesolv, tmp_path, 3)
    with pytest.raises(TrialError, match=r"saved with the changes \[\{'after': 2"):
        run(trial(), freesolv, folder)
    with pytest.raises(TrialError, match="saved with configuration"):
        run(trial(training={"learning_rate": 1e-2, "changes": [CHANGE]}), freesolv, folder)
