from __future__ import annotations

import numpy as np
import pytest

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, Split, search_view, split_for, split_hash
from pdf_search.errors import DataError
from pdf_search.records import Phase, Replicate
from tests.data.conftest import Load, trial

CONFIRM = Phase.CONFIRM


def folds(protocol: str = "gin-curve", **changes: object) -> TrialConfig:
    return trial("mutag", protocol=protocol, folds=10, **changes)


@pytest.fixture(scope="module")
def mutag(load: Load) -> Prepared:
    return load("mutag")


@pytest.fixture(scope="module")
def esol(load: Load) -> Prepared:
    return load("ogbg-molesol")


def whole(split: Split) -> list[int]:
    parts = [split.train, split.valid, split.test if split.test is not None else []]
    return sorted(np.concatenate(parts).tolist())


def test_random_split_is_80_10_10_by_its_seed(freesolv: Prepared) -> None:
    split = split_for(freesolv, trial(phase=CONFIRM), Replicate(0))
    assert split.test is not None
    assert (len(split.train), len(split.valid), len(split.test)) == (513, 64, 65)
    assert whole(split) == list(range(642))
    again = split_for(freesolv, trial(phase=CONFIRM), Replicate(7))
    np.testing.assert_array_equal(split.train, again.train)
    data = {"name": "freesolv", "split_seed": 1}
    other = split_for(freesolv, trial(phase=CONFIRM, data=data), Replicate(0))
    assert not np.array_equal(split.train, other.train)


@pytest.mark.parametrize(
    "changes", [{}, {"protocol": "inner", "folds": 4}], ids=["random", "folds"]
)
def test_a_fraction_cuts_the_training_part_alone(
    changes: dict[str, object], freesolv: Prepared
) -> None:
    replicate = Replicate(0, 3 if changes else None)
    full, part = (
        split_for(
            freesolv,
            trial(phase=CONFIRM, data={"name": "freesolv", "train_fraction": f}, **changes),
            replicate,
        )
        for f in (1.0, 0.2)
    )
    np.testing.assert_array_equal(part.valid, full.valid)
    np.testing.assert_array_equal(part.test, full.test)
    assert set(part.train) < set(full.train)
    assert len(part.train) == round(0.2 * len(full.train))


@pytest.mark.parametrize("protocol", ["inner", "gin-curve"])
def test_no_fold_trains_on_what_it_holds_out(protocol: str, freesolv: Prepared) -> None:
    held_out: list[int] = []
    for fold in range(4):
        config = trial(protocol=protocol, folds=4)
        confirm = config.model_copy(update={"phase": CONFIRM})
        search, tried = (split_for(freesolv, c, Replicate(0, fold)) for c in (config, confirm))
        assert tried.test is not None
        assert search.test is None
        assert whole(tried) == list(range(642))  # so no graph is in two parts
        assert len(tried.valid) == (0 if protocol == "gin-curve" else len(search.valid))
        assert not {*search.train, *search.valid} & {*tried.test}
        assert whole(search) == sorted({*range(642)} - {*tried.test})
        held_out += tried.test.tolist()
    assert sorted(held_out) == list(range(642))


def test_search_is_given_no_test_part(freesolv: Prepared, esol: Prepared, mutag: Prepared) -> None:
    assert split_for(freesolv, trial(), Replicate(0)).test is None
    assert split_for(esol, trial("ogbg-molesol"), Replicate(0)).test is None
    assert split_for(mutag, folds(), Replicate(0, 3)).test is None
    assert split_for(mutag, folds("inner"), Replicate(0, 3)).test is None


def test_search_and_confirmation_share_train_and_valid(esol: Prepared) -> None:
    search = split_for(esol, trial("ogbg-molesol"), Replicate(0))
    confirm = split_for(esol, trial("ogbg-molesol", phase=CONFIRM), Replicate(0))
    np.testing.assert_array_equal(search.train, confirm.train)
    np.testing.assert_array_equal(search.valid, confirm.valid)
    assert whole(confirm) == list(range(len(esol.graphs)))


def test_the_search_view_has_lost_the_test_targets(freesolv: Prepared, esol: Prepared) -> None:
    for data, config in ((freesolv, trial()), (esol, trial("ogbg-molesol"))):
        confirm = config.model_copy(update={"phase": CONFIRM})
        split = split_for(data, confirm, Replicate(0))
        view = search_view(data, config)
        assert np.isnan(view.graphs.targets[split.test]).all()
        rest = np.concatenate([split.train, split.valid])
        np.testing.assert_array_equal(view.graphs.targets[rest], data.graphs.targets[rest])
        searched = split_for(view, config, Replicate(0))
        np.testing.assert_array_equal(searched.valid, split.valid)
        assert split_hash(view, config) == split_hash(data, confirm)
        assert search_view(data, confirm) is data
    with pytest.raises(DataError, match="asked for during search"):
        split_for(search_view(esol, trial("ogbg-molesol")), confirm, Replicate(0))


def test_held_out_parts_are_stratified_and_cover_every_graph_once(mutag: Prepared) -> None:
    label = mutag.graphs.targets[:, 0]
    held_out = []
    for fold in range(10):
        split = split_for(mutag, folds(phase=CONFIRM), Replicate(0, fold))
        assert split.test is not None
        assert len(split.valid) == 0
        assert whole(split) == list(range(len(mutag.graphs)))
        assert abs(label[split.test].sum() - len(split.test) * label.mean()) < 1
        held_out += split.test.tolist()
    assert sorted(held_out) == list(range(len(mutag.graphs)))


def test_held_out_parts_are_scikit_learns(mutag: Prepared) -> None:
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    label = mutag.graphs.targets[:, 0]
    expected = StratifiedKFold(10, shuffle=True, random_state=0).split(label, label.astype(int))
    for fold, (_, test) in enumerate(expected):
        split = split_for(mutag, folds(phase=CONFIRM), Replicate(3, fold))
        np.testing.assert_array_equal(split.test, test)


@pytest.mark.parametrize("protocol", ["gin-curve", "inner"])
def test_search_validates_on_a_tenth_of_each_training_part(mutag: Prepared, protocol: str) -> None:
    for fold in (0, 9):
        search = split_for(mutag, folds(protocol), Replicate(0, fold))
        confirm = split_for(mutag, folds("inner", phase=CONFIRM), Replicate(0, fold))
        assert confirm.test is not None
        np.testing.assert_array_equal(search.train, confirm.train)
        np.testing.assert_array_equal(search.valid, confirm.valid)
        rest = len(mutag.graphs) - len(confirm.test)
        assert len(search.valid) == pytest.approx(0.1 * rest, abs=1)
        assert whole(confirm) == list(range(len(mutag.graphs)))
        ratio = mutag.graphs.targets[search.valid, 0].mean()
        assert abs(ratio - mutag.graphs.targets.mean()) < 0.1


def test_a_fraction_of_the_training_part_keeps_the_classes(mutag: Prepared) -> None:
    def train(fraction: float, name: str = "mutag") -> set[int]:
        config = folds(data={"name": name, "train_fraction": fraction})
        split = split_for(mutag, config, Replicate(0, 0))
        assert np.all(np.diff(split.train) > 0)
        return set(split.train.tolist())

    full, half, tenth, least = train(1), train(0.5), train(0.1), train(1e-6)
    assert least < tenth < half < full
    assert (len(least), len(half)) == (1, round(len(full) / 2))
    label = mutag.graphs.targets[:, 0]
    assert label[sorted(half)].mean() == pytest.approx(label[sorted(full)].mean(), abs=0.01)
    whole_valid = split_for(mutag, folds(), Replicate(0, 0)).valid
    config = folds(data={"name": "mutag", "train_fraction": 0.1})
    np.testing.assert_array_equal(split_for(mutag, config, Replicate(0, 0)).valid, whole_valid)


def test_the_hash_tells_partitions_apart_and_phases_not(mutag: Prepared, esol: Prepared) -> None:
    hashes = {
        split_hash(mutag, folds()),
        split_hash(mutag, folds(data={"name": "mutag", "split_seed": 1})),
        split_hash(mutag, folds(data={"name": "mutag", "train_fraction": 0.5})),
        split_hash(mutag, trial("mutag", protocol="inner", folds=5)),
        split_hash(esol, trial("ogbg-molesol")),
    }
    assert len(hashes) == 5
    assert split_hash(mutag, folds()) == split_hash(mutag, folds(phase=CONFIRM, seeds=(4,)))
    # Recorded in results databases: a change of this value orphans them.
    known = {188: "2980e344159f51a3", 64: "c83e31c5e9c8a0d7"}  # of the whole set, of its excerpt
    assert split_hash(mutag, folds()) == known[len(mutag.graphs)]


def test_folds_that_do_not_exist(mutag: Prepared, freesolv: Prepared) -> None:
    with pytest.raises(DataError, match=r"fold 10 is not one of 0\.\.9"):
        split_for(mutag, folds(), Replicate(0, 10))
    with pytest.raises(DataError, match=f"{len(mutag.graphs)} graphs are too few for 200 folds"):
        split_for(mutag, trial("mutag", protocol="inner", folds=200), Replicate(0, 0))
    too_many = int(np.bincount(mutag.graphs.targets[:, 0].astype(int)).max()) + 1
    with pytest.raises(DataError, match=f"cannot be split into {too_many} folds"):
        split_for(mutag, trial("mutag", protocol="inner", folds=too_many), Replicate(0, 0))
    regression = split_for(freesolv, trial(protocol="inner", folds=10), Replicate(0, 0))
    assert len(regression.train) == pytest.approx(642 * 0.81, abs=2)


def test_rare_classes_do_not_warn(mutag: Prepared) -> None:
    few, many = np.bincount(mutag.graphs.targets[:, 0].astype(int))
    inner = trial("mutag", protocol="inner", folds=int(few + many) // 2)
    assert len(split_for(mutag, inner, Replicate(0, 0)).valid)
