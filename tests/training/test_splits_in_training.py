"""Which graphs a trial sees: every one of its parts, and in search no test target."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, split_for
from pdf_search.data.prepared.folder import load_prepared
from pdf_search.data.raw.ogb_package import import_ogb
from pdf_search.records import Phase, Protocol, Replicate, State, Task
from pdf_search.training import trial as trial_module
from pdf_search.training.baseline import baseline_predictor
from pdf_search.training.replicates import ReplicateSplits
from tests.graphs.makers import EDGELESS, PATH, RING, SINGLE, STAR, graph_set, random_set
from tests.training.trials import Recorder, folded, made, run, trial, with_targets

CONFIRM = Phase.CONFIRM


def confirmed(config: TrialConfig, data: Prepared, folder: Path) -> tuple[Recorder, pd.DataFrame]:
    recorder, outcome = run(config, data, folder=folder, save_at=config.epochs)
    assert outcome.state is State.COMPLETE
    table = pd.read_parquet(folder / "predictions.parquet")
    columns = ["split", "index", "task", "replicate", "target", "prediction"]
    assert list(table.columns) == columns
    assert table["prediction"].dtype == table["target"].dtype == np.float64
    return recorder, table


def rows(table: pd.DataFrame, split: str, replicate: int) -> tuple[np.ndarray, np.ndarray]:
    """Targets and predictions [n, tasks] in the order of graph numbers."""
    here = table[(table["split"] == split) & (table["replicate"] == replicate)]
    here = here.sort_values(["index", "task"])
    tasks = here["task"].max() + 1
    return tuple(here[c].to_numpy().reshape(-1, tasks) for c in ("target", "prediction"))  # type: ignore[return-value]


def test_search_reports_no_test_value_and_writes_no_predictions(
    freesolv: Prepared, mutag: Prepared, tmp_path: Path
) -> None:
    for config, data in ((trial(stop_epoch=1), freesolv), (folded(stop_epoch=1), mutag)):
        recorder, _ = run(config, data, folder=tmp_path / config.data.name, save_at=1)
        for replicate in recorder.reports[0].replicates:
            assert replicate.test is None
            assert replicate.valid is not None
        names = sorted(p.name for p in (tmp_path / config.data.name).iterdir())
        assert names == ["checkpoint.pt", "graphs.npz"]  # graphs without targets, for explain


def test_search_does_not_hold_a_test_target(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    original = trial_module._Trial.start.__func__  # type: ignore[attr-defined]

    def start(cls: type, config: TrialConfig, data: Prepared) -> object:
        made = original(cls, config, data)
        seen.append(made)
        return made

    monkeypatch.setattr(trial_module._Trial, "start", classmethod(start))
    run(trial(stop_epoch=1), freesolv)
    hidden = split_for(freesolv, trial(phase=CONFIRM), Replicate(0)).test
    assert hidden is not None
    assert np.isnan(seen[0].data.graphs.targets[hidden]).all()
    assert not np.isin(seen[0].splits.numbers, hidden).any()
    assert not np.isnan(seen[0].splits.graphs.targets).any()


def test_search_is_the_same_whatever_the_test_targets_are(freesolv: Prepared) -> None:
    hidden = split_for(freesolv, trial(phase=CONFIRM), Replicate(0)).test
    targets = np.array(freesolv.graphs.targets)
    targets[hidden] = 1e6
    changed = replace(freesolv, graphs=with_targets(freesolv.graphs, targets))
    config = trial(stop_epoch=2)
    assert run(config, changed)[0].curve == run(config, freesolv)[0].curve


def test_a_held_out_fold_is_never_scored_in_search(mutag: Prepared) -> None:
    splits = ReplicateSplits.of(folded(), mutag)
    assert set(splits.parts) == {"train", "valid"}
    for r, replicate in enumerate(splits.replicates):
        held_out = split_for(mutag, folded(phase=CONFIRM), replicate).test
        assert held_out is not None
        for part in splits.parts.values():
            assert not np.isin(part[r], held_out).any()


@pytest.mark.parametrize("seeds", [(0,), (0, 4)])
def test_saved_predictions_are_those_of_each_replicates_best_epoch(
    seeds: tuple[int, ...], freesolv: Prepared, tmp_path: Path
) -> None:
    config = trial(phase=CONFIRM, seeds=seeds, training={"epochs": 5, "learning_rate": 3e-2})
    recorder, table = confirmed(config, freesolv, tmp_path)
    parts = split_for(freesolv, config, Replicate(0))
    for r in range(len(seeds)):
        curve = [report.replicates[r] for report in recorder.reports]
        best = min(curve, key=lambda epoch: epoch.valid if epoch.valid is not None else np.inf)
        for split, numbers in (("valid", parts.valid), ("test", parts.test)):
            target, guess = rows(table, split, r)
            assert len(target) == len(numbers)  # type: ignore[arg-type]
            np.testing.assert_allclose(target, freesolv.graphs.targets[numbers], rtol=1e-7)
            rmse = sk.root_mean_squared_error(target, guess)
            assert getattr(best, split) == pytest.approx(rmse, rel=1e-6)
    assert sorted(table["index"].unique()) == sorted([*parts.valid, *parts.test])  # type: ignore[misc]


@pytest.mark.parametrize("protocol", [Protocol.GIN_CURVE, Protocol.INNER])
def test_predictions_of_folds(protocol: Protocol, mutag: Prepared, tmp_path: Path) -> None:
    training = {"epochs": 4, "learning_rate": 2e-2, "batch_size": 32}
    config = folded(protocol, phase=CONFIRM, training=training)
    recorder, table = confirmed(config, mutag, tmp_path)
    curve = np.array([[e.test for e in report.replicates] for report in recorder.reports])
    best = np.full(10, curve.mean(1).argmax())  # one epoch for all folds
    if protocol is Protocol.INNER:
        best = np.array(
            [[e.valid for e in report.replicates] for report in recorder.reports]
        ).argmax(0)
    for fold in range(10):
        target, probability = rows(table, "test", fold)
        assert probability.shape[1] == 2
        np.testing.assert_allclose(probability.sum(1), 1, rtol=1e-9)
        accuracy = (probability.argmax(1) == target[:, 0]).mean()
        assert accuracy == pytest.approx(curve[best[fold], fold], abs=1e-6)
    held_out = table[(table["split"] == "test") & (table["task"] == 0)]
    assert sorted(held_out["index"]) == list(range(len(mutag.graphs)))  # every graph once
    assert set(table["split"]) == (
        {"test"} if protocol is Protocol.GIN_CURVE else {"valid", "test"}
    )


@pytest.mark.parametrize("metric", ["rocauc", "ap"])
def test_labels_with_gaps_against_ogb(metric: str, tmp_path: Path) -> None:
    graphs = random_set(5, 60, tasks=3)
    rng = np.random.default_rng(0)
    targets = rng.integers(0, 2, (60, 3)).astype(np.float32)
    targets[rng.random(targets.shape) < 0.3] = np.nan
    numbers = list(range(60))
    data = made(
        with_targets(graphs, targets),
        numbers[:30],
        numbers[30:45],
        numbers[45:],
        Task.MULTILABEL,
        metric,
    )
    config = trial("made", fraction=1, phase=CONFIRM, stop_epoch=1)
    recorder, table = confirmed(config, data, tmp_path)
    evaluator = import_ogb("ogb.graphproppred").Evaluator(
        "ogbg-molhiv" if metric == "rocauc" else "ogbg-molpcba"
    )
    evaluator.num_tasks = 3
    for split in ("valid", "test"):
        target, guess = rows(table, split, 0)
        assert ((guess > 0) & (guess < 1)).all()
        theirs = evaluator.eval({"y_true": target, "y_pred": guess})[metric]
        assert getattr(recorder.reports[0].replicates[0], split) == pytest.approx(theirs)


def test_a_last_batch_of_one_single_atom_trains_and_every_graph_is_scored(tmp_path: Path) -> None:
    shapes = [PATH, RING, STAR, SINGLE, EDGELESS, SINGLE, PATH, SINGLE]
    data = made(graph_set(shapes), [3], [4, 5], [6, 7])
    for train in ([3], [0, 1, 2, 3, 4], [4]):
        data = made(graph_set(shapes), train, [4, 5], [6, 7])
        config = trial("made", fraction=1, phase=CONFIRM, training={"batch_size": 4, "epochs": 2})
        recorder, table = confirmed(config, data, tmp_path / str(len(train)))
        assert sorted(table["index"]) == [4, 5, 6, 7]
        assert np.isfinite([r.replicates[0].train_loss for r in recorder.reports]).all()


def test_freesolv_trains_with_its_last_batch_of_one(freesolv: Prepared) -> None:
    """513 training molecules leave a batch of one at batch size 64."""
    config = trial(fraction=1, model={"layers": 1}, training={"epochs": 1, "batch_size": 64})
    assert len(split_for(freesolv, config, Replicate(0)).train) % 64 == 1
    _, outcome = run(config, freesolv)
    assert outcome.state is State.COMPLETE


def test_an_epoch_sees_every_training_graph_once(mutag: Prepared) -> None:
    splits = ReplicateSplits.of(folded(phase=CONFIRM), mutag)
    one, two = splits.epoch_order(1), splits.epoch_order(2)
    for r, train in enumerate(splits.parts["train"]):
        for order in (one, two):
            places = order[r][order[r] >= 0].numpy()
            assert sorted(splits.numbers[places]) == train.tolist()
        assert one[r].tolist() != two[r].tolist()


def test_targets_are_scaled_by_the_training_part_alone(freesolv: Prepared) -> None:
    splits = ReplicateSplits.of(trial(phase=CONFIRM), freesolv)
    mean, std = splits.target_scale()
    train = freesolv.graphs.targets[splits.parts["train"][0]]
    assert float(mean.squeeze()) == pytest.approx(train.mean(), rel=1e-6)
    assert float(std.squeeze()) == pytest.approx(train.std(), rel=1e-6)


def test_predictions_come_in_the_targets_own_unit(freesolv: Prepared, tmp_path: Path) -> None:
    config = trial(phase=CONFIRM, stop_epoch=1)
    _, table = confirmed(config, freesolv, tmp_path)
    mean = freesolv.graphs.targets[split_for(freesolv, config, Replicate(0)).train].mean()
    assert table["prediction"].mean() == pytest.approx(mean, abs=2.0)  # not about 0


def test_a_mapped_data_set_is_only_read(freesolv: Prepared) -> None:
    before = freesolv.graphs.fingerprint()
    run(trial(stop_epoch=1), freesolv)
    assert load_prepared(freesolv.folder).graphs.fingerprint() == before


@pytest.mark.parametrize("standardise", [False, True])
def test_a_target_without_a_training_label_breaks_nothing(
    standardise: bool, tmp_path: Path
) -> None:
    graphs = random_set(3, 12, tasks=2)
    targets = np.array(graphs.targets)
    targets[:6, 1] = np.nan
    numbers = list(range(12))
    data = made(with_targets(graphs, targets), numbers[:6], numbers[6:9], numbers[9:])
    training = {"epochs": 2, "standardise_targets": standardise}
    config = trial("made", fraction=1, phase=CONFIRM, training=training)
    recorder, _ = confirmed(config, data, tmp_path)
    assert all(np.isfinite(r.valid) for r in recorder.reports)  # type: ignore[arg-type]
    baseline = baseline_predictor(config, data).replicates[0]
    known = np.abs(targets[9:, 0] - targets[:6, 0].mean()).mean()
    unknown = np.abs(targets[9:, 1]).mean()  # the constant is 0
    assert baseline.test == pytest.approx((known + unknown) / 2, rel=1e-5)


def test_a_checkpoint_never_lacks_its_predictions(
    freesolv: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the two files: a resumed trial would find its last epoch done."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    config = trial(phase=CONFIRM, stop_epoch=1)
    for name in ("write_predictions", "save_checkpoint"):
        folder = tmp_path / name
        with monkeypatch.context() as patch:
            patch.setattr(trial_module, name, killed)
            with pytest.raises(KeyboardInterrupt):
                run(config, freesolv, folder=folder, save_at=1)
        assert not (folder / "checkpoint.pt").exists()
    assert (tmp_path / "save_checkpoint" / "predictions.parquet").exists()
