"""The importance map: what least squares, the network and its record say of each (eps, k)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pdf_search.config import TrialConfig
from pdf_search.errors import TrialError
from pdf_search.records import Phase, Task
from pdf_search.training.build_trainers import build_groups
from pdf_search.training.groups import Groups
from pdf_search.training.importance import recorded
from pdf_search.training.importance.basis_importance import basis_importance, has_importance
from pdf_search.training.importance.least_squares import (
    PENALTIES,
    fit_columns,
    left_out_errors,
)
from pdf_search.training.importance.recorded import (
    IMPORTANCE,
    graphs_asked,
    read_importance,
    trial_importance,
    write_importance,
)
from pdf_search.training.replicates import ReplicateSplits
from tests.graphs.makers import random_set
from tests.training.trials import made, run, trial, with_targets

CPU = torch.device("cpu")
PLANTED = 3  # place in the grid


def config_of(**model: Any) -> TrialConfig:
    plain: dict[str, Any] = {"filter": "lin", "filter_norm": False, "softmax": False}
    data = {"name": "made"}
    return trial(data=data, phase="confirm", seeds=(3, 5), model=plain | model)


def groups_of(config: TrialConfig, task: Task = Task.REGRESSION) -> Groups:
    graphs = random_set(3, 60)
    count = 3 if task is Task.MULTICLASS else 1
    if task is Task.MULTICLASS:
        graphs = with_targets(graphs, np.arange(60)[:, None] % 3)
    data = made(graphs, list(range(50)), [52, 53], [55], task, outputs=count)
    return build_groups(config, data, ReplicateSplits.of(config, data), CPU)


def measured(groups: Groups, config: TrialConfig) -> dict[str, Any]:
    (group,) = groups.groups
    return basis_importance(group.eager, group.places["train"], config.basis)


def test_a_fit_uses_the_named_columns_alone() -> None:
    source = np.random.default_rng(0)
    x, y, weight = source.normal(size=(40, 5)), source.normal(size=(40, 2)), source.random(40)
    found = fit_columns(x.T @ (weight[:, None] * x), x.T @ (weight[:, None] * y), [0, 3])
    root = np.sqrt(weight)[:, None]
    expected = np.linalg.lstsq(root * x[:, [0, 3]], root * y, rcond=None)[0]
    assert found[[0, 3]] == pytest.approx(expected, rel=1e-9)
    assert not found[[1, 2, 4]].any()


def test_columns_that_say_the_same_do_not_blow_up() -> None:
    x = np.random.default_rng(0).normal(size=(40, 2))[:, [0, 1, 1]]
    found = fit_columns(x.T @ x, x.T @ x[:, 1:2], [0, 1, 2])
    assert found[:, 0] == pytest.approx([0.0, 0.5, 0.5], abs=1e-9)


def test_left_out_errors_are_those_of_as_many_fits() -> None:
    source = np.random.default_rng(1)
    x = source.normal(size=(30, 4)) * (1.0, 5.0, 0.1, 1.0)
    y = x @ source.normal(size=4) + source.normal(size=30)
    scaled, values = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    by_penalty = []
    for penalty in PENALTIES:
        errors = []
        for out in range(30):
            kept = np.arange(30) != out
            a = np.column_stack([np.ones(29), scaled[kept]])
            ridge = np.diag([0.0, *[penalty * 30] * 4])
            fit = np.linalg.solve(a.T @ a + ridge, a.T @ values[kept])
            errors.append((values[out] - fit[0] - scaled[out] @ fit[1:]) ** 2)
        by_penalty.append(errors)
    best = min(by_penalty, key=lambda errors: float(np.mean(errors)))
    assert left_out_errors(x, y[:, None]) == pytest.approx(best, rel=1e-9)


def test_targets_are_judged_each_by_itself_whatever_graphs_they_share() -> None:
    source = np.random.default_rng(3)
    x, y = source.normal(size=(30, 4)), source.normal(size=(30, 4))
    y[:, 1] += 3 * x[:, 0]  # another penalty than the noise beside it
    y[:9, 3] = np.nan
    single = np.stack([left_out_errors(x, y[:, [t]]) for t in range(4)])
    expected = [*single[:3, :9].mean(0), *single[:, 9:].mean(0)]
    assert left_out_errors(x, y) == pytest.approx(expected, rel=1e-9)


def test_features_that_are_not_finite_have_no_error() -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 20, 2))
    x[3, 1] = np.inf
    assert np.isnan(left_out_errors(x, y)).all()


def test_graphs_without_a_label_have_no_error() -> None:
    source = np.random.default_rng(2)
    x, y = source.normal(size=(20, 2)), source.normal(size=(20, 3))
    y[:, 2] = 1.0  # says nothing
    y[4, 0] = y[7, :] = np.nan
    found = left_out_errors(x, y)
    assert np.flatnonzero(np.isnan(found)).tolist() == [7]
    without = np.arange(20) != 7
    second = left_out_errors(x[without], y[without][:, 1:2])
    assert found[4] == pytest.approx(second[4])


@pytest.mark.parametrize("task", [Task.REGRESSION, Task.MULTICLASS])
@pytest.mark.parametrize("model", [{"channels": "shd"}, {"softmax": True}, {"softmax": False}])
def test_a_filter_of_one_basis_is_kept_by_this_basis_alone(
    model: dict[str, Any], task: Task
) -> None:
    config = config_of(**model)
    groups = groups_of(config, task)
    with torch.no_grad():
        weight = groups.groups[0].eager.model.filter.linears[0].weight
        weight[:, 1:] = 0.0
        weight[:, 1 + PLANTED] = 3.0 * torch.linspace(-1, 1, weight.shape[-1] + 1)[1:]
    found = measured(groups, config)
    assert [tuple(point) for point in found["grid"]] == list(config.basis.grid)
    for replicate in found["replicates"]:
        missed = np.abs(np.array([*replicate["errors"], replicate["none"]]) - replicate["all"])
        assert missed[PLANTED] < 1e-4
        assert np.delete(missed, PLANTED).min() > 5 * missed[PLANTED]


@pytest.mark.parametrize(
    "model",
    [{"filter": "1l"}, {"filter": "2l", "filter_norm": True}, {"filter": "2l", "channels": "shd"}],
)
def test_every_kind_of_filter_can_be_asked_and_stays_as_it_is(model: dict[str, Any]) -> None:
    config = config_of(**model)
    groups = groups_of(config)
    before = {name: value.clone() for name, value in groups.model_state().items()}
    own = groups.groups[0].eager.model.filter
    found = measured(groups, config)
    assert groups.groups[0].eager.model.filter is own
    after = groups.model_state()
    assert all(torch.equal(after[name], value) for name, value in before.items())
    for replicate in found["replicates"]:
        assert set(replicate) == {"none", "all", "errors", "margin", "margin_se"}
        assert len(replicate["errors"]) == len(config.basis.grid)
    assert all(place in like for place, like in enumerate(found["alike"]))


def test_the_weights_of_the_selected_epoch_are_asked() -> None:
    config = config_of()
    groups = groups_of(config)
    own = {name: value.clone() for name, value in groups.model_state().items()}
    other = {
        name: value * 2 if "filter" in name and value.is_floating_point() else value.clone()
        for name, value in own.items()
    }
    selected = trial_importance(config, groups, other)
    assert all(torch.equal(groups.model_state()[name], value) for name, value in own.items())
    assert selected != trial_importance(config, groups, {})
    groups.load_states(other, groups.optimizer_state())
    assert selected == trial_importance(config, groups, {})


def test_nothing_is_measured_of_weights_that_are_not_finite() -> None:
    config = config_of()
    groups = groups_of(config)
    weights = {name: value.clone() for name, value in groups.model_state().items()}
    weights["head.bias"][0] = torch.nan
    assert trial_importance(config, groups, weights) is None


def test_a_single_basis_or_a_fixed_filter_leaves_nothing_to_measure() -> None:
    config = config_of()
    basis = config.basis.model_copy(update={"k": 1, "eps": (-0.2,)})
    assert has_importance(config)
    assert not has_importance(config.model_copy(update={"basis": basis}))
    model = config.model.model_copy(update={"filter": "fixed"})
    assert not has_importance(config.model_copy(update={"model": model}))


def test_large_training_parts_are_sampled_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_of()
    groups = groups_of(config)
    (group,) = groups.groups
    monkeypatch.setattr(recorded, "graphs_asked", lambda bases: {4: 8}[bases])
    some = trial_importance(config, groups, {})
    places = group.places["train"][:, [0, 7, 14, 21, 28, 35, 42, 49]]
    assert some == basis_importance(group.eager, places, config.basis)
    assert some["graphs"] == 8
    monkeypatch.setattr(recorded, "graphs_asked", lambda bases: {4: 50}[bases])
    assert trial_importance(config, groups, {}) == measured(groups, config)


@pytest.mark.parametrize(
    ("bases", "graphs"), [(2, 1000), (10, 1000), (30, 333), (36, 277), (51, 200), (500, 200)]
)
def test_the_more_bases_the_fewer_graphs_are_asked(bases: int, graphs: int) -> None:
    assert graphs_asked(bases) == graphs


@pytest.mark.parametrize(("phase", "there"), [("confirm", True), ("search", False)])
def test_a_confirmed_trial_leaves_its_map_after_its_last_epoch(
    tmp_path: Path, phase: str, there: bool
) -> None:
    config = config_of().model_copy(update={"phase": Phase(phase)})
    data = made(random_set(3, 60), list(range(50)), [52, 53], [55])
    run(config, data, folder=tmp_path, save_at=config.epochs - 1)
    assert read_importance(tmp_path) is None
    run(config, data, folder=tmp_path, save_at=config.epochs)
    found = read_importance(tmp_path)
    assert (found is not None) == there
    assert found is None or len(found["replicates"]) == 2


def test_a_damaged_map_is_named(tmp_path: Path) -> None:
    write_importance(tmp_path, {"replicates": [{"none": float("nan")}]})
    assert read_importance(tmp_path) == {"replicates": [{"none": None}]}
    (tmp_path / IMPORTANCE).write_text("{")
    with pytest.raises(TrialError, match=r"importance\.json: damaged"):
        read_importance(tmp_path)
