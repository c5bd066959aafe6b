"""``--set path=value``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pdf_search.config import newest
from pdf_search.errors import SpaceError
from pdf_search.records import Protocol
from pdf_search.space import Choice, FloatRange, Space, load_space

from .conftest import Write


def paths(space: Space) -> set[str]:
    return {parameter.path for parameter in space.parameters()}


def first_trial(space: Space) -> Any:
    return space.trial(space.points_to_evaluate[0])


def test_a_setting_that_the_file_leaves_at_its_default() -> None:
    space = load_space("zinc", ["data.train_fraction=0.05"])
    trial = first_trial(space)
    assert trial["data"] == newest({"name": "zinc", "train_fraction": 0.05})
    plain = load_space("zinc")
    assert {**trial, "data": newest({"name": "zinc"})} == first_trial(plain)
    assert space.notes == ("the published setting zinc runs with data.train_fraction = 0.05",)
    assert plain.notes == ()


def test_a_value_closes_a_domain(small: str) -> None:
    space = load_space(small, ["model.hidden=64", "training.learning_rate=1e-3"])
    assert paths(load_space(small)) - paths(space) == {"model.hidden", "training.learning_rate"}
    assert space.trial(space.sample(lambda p: p.domain.values[0]))["model"]["hidden"] == 64  # type: ignore[index]


def test_a_domain_written_inline(small: str) -> None:
    space = load_space(
        small,
        ["model.layers={choice: [2, 3]}", "training.learning_rate={range: [0.1, 0.5], step: 0.1}"],
    )
    domains = {p.path: p.domain for p in space.parameters()}
    assert domains["model.layers"] == Choice((2, 3))
    assert domains["training.learning_rate"] == FloatRange(0.1, 0.5, 0.1)


def test_an_option_by_name_and_a_key_of_an_option(small: str) -> None:
    fixed = load_space(small, ["basis=window"])
    assert "basis" not in paths(fixed)
    assert "basis.eps.low" in paths(fixed)
    inside = load_space(small, ["basis.window.eps.low=-0.3", "basis.window.support.hops=3"])
    point = inside.sample(
        lambda p: (
            "window"
            if p.path == "basis"
            else getattr(p.domain, "low", None) or "flat"
            if p.path not in ("model.hidden", "model.filter")
            else p.domain.values[0]
        )  # type: ignore[index]
    )
    basis = inside.config(point).basis
    assert basis.hops == 3
    assert min(eps for eps, _ in basis.grid) == -0.5
    assert max(eps for eps, _ in basis.grid) == -0.3


def test_keys_with_a_dot_in_them(write: Write) -> None:
    path = write("data: {name: zinc}\nbasis: {powers: {-0.2: [1, 2], -0.25: 3}}\n")
    space = load_space(path, ["basis.powers.-0.2=[4]"])
    assert space.config({}).basis.grid == ((-0.2, 4), (-0.25, 3))


def test_the_budget_and_the_limits() -> None:
    space = load_space("zinc", ["budget.trials=3", "budget.confirm.seeds=2", "limits=[]"])
    assert space.defaults.trials == 3
    assert space.defaults.confirm_seeds == 2
    assert space.limits == ()
    assert load_space("zinc", ["training.epochs=20"]).defaults.epochs == 20


@pytest.mark.parametrize(
    ("override", "error"),
    [
        ("model.hiden=3", "model.hiden: unknown path; did you mean hidden?"),
        ("traning.epochs=3", "traning.epochs: unknown path; did you mean training.epochs?"),
        ("model.hidden", "write --set path=value"),
        ("=3", "write --set path=value"),
        ("model.hidden=abc", "model.hidden: 'abc' does not fit: give a whole number"),
        ("model.hidden=[1", "not valid YAML"),
        ("model.softmax=yes", "a bare yes is ambiguous"),
        ("model.hidden={range: [9, 3]}", "model.hidden.range: low 9 is above high 3"),
        (
            "basis.pairs=[[-0.1, 2]]",
            "basis is a choice of published, window here; set basis itself",
        ),
        ("basis.window.eps.lo=0", "basis.window.eps.lo: unknown path; did you mean low?"),
        ("stop_epoch=3", "stop_epoch: cannot be set: write budget"),
        ("phase=confirm", "phase: cannot be set"),
        ("metric=ap", "metric: ap does not measure regression (ZINC); fitting: mae, rmse"),
        ("data.split_seed={choice: [1, 2]}", "data.split_seed: cannot be searched"),
    ],
)
def test_errors_name_the_override_and_the_remedy(override: str, error: str) -> None:
    with pytest.raises(SpaceError, match=re.escape(error)) as caught:
        load_space("zinc", [override])
    assert str(caught.value).startswith(f"--set {override}: ")


def test_lines_of_the_file_stay_known_beside_an_override(small: str) -> None:
    Path(small).write_text(Path(small).read_text().replace("filter:", "filtre:"))
    with pytest.raises(SpaceError) as caught:
        load_space(small, ["model.hidden=abc"])
    override, file = sorted(str(caught.value).splitlines())
    assert override.startswith("--set model.hidden=abc: model.hidden: ")
    assert re.search(r"mine\.yaml:\d+: model\.filtre: unknown key; did you mean filter", file)


def test_another_metric_of_the_same_task() -> None:
    space = load_space("zinc", ["metric=rmse"])
    assert space.defaults.metric == "rmse"
    assert space.config(space.points_to_evaluate[0]).data.metric == "rmse"


def test_another_data_set_brings_its_metric_and_protocol() -> None:
    space = load_space("zinc", ["data.name=mutag"])
    assert space.defaults.metric == "accuracy"
    assert space.defaults.protocol is Protocol.GIN_CURVE
    assert space.defaults.folds == 10
    chosen = load_space("zinc", ["data.name=mutag", "protocol=inner"])
    assert chosen.defaults.protocol is Protocol.INNER
    assert chosen.defaults.folds == 10


def test_a_published_setting_that_is_overridden_away_is_dropped_with_a_note() -> None:
    space = load_space("zinc", ["model.hidden={choice: [16, 32]}"])
    assert space.points_to_evaluate == ()
    assert space.notes == ("the published setting zinc is not in the space: not tried",)


def test_own_molecules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.csv").write_text("smiles,y\nCCO,0.5\nCCC,1.5\nCCN,2.5\n")
    monkeypatch.chdir(tmp_path)
    space = load_space("freesolv", ["data={name: csv, path: mine.csv, targets: [y]}"])
    assert space.defaults.metric == "rmse"
    data = space.config(
        space.sample(lambda p: getattr(p.domain, "low", None) or p.domain.values[0])
    ).data  # type: ignore[index]
    assert data.path == str(tmp_path / "mine.csv")


def test_a_path_in_a_file_is_seen_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("smiles,y\nCCO,0.5\nCCC,1.5\nCCN,2.5\n")
    space_file = tmp_path / "own.yaml"
    space_file.write_text(
        "data: {name: csv, path: mine.csv, targets: [y]}\nbasis: {pairs: [[-0.1, 4]]}\n"
    )
    assert load_space(str(space_file)).config({}).data.path == str(tmp_path / "mine.csv")
