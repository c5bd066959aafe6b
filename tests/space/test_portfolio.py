"""The portfolio fitted into spaces: always a point of the space, and the one that is meant."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdf_search.space import Space, load_space, space_names
from pdf_search.space.portfolio.entry import Entry, kinds_of, shipped_portfolio
from pdf_search.space.portfolio.fit import fitted, portfolio_points

from .conftest import FINITE, SMALL, Write

ENTRY: dict[str, Any] = {
    "eps": [-0.4, -0.1],
    "k_share": 0.67,
    "support": "dense",
    "standardise": False,
    "hidden_share": 0.75,
    "layers": 9,
    "filter": "2l",
    "channels": "idp",
    "filter_norm": True,
    "softmax": True,
    "activation": "gelu",
    "ffn_norm": True,
    "dropout": 0.14,
    "readout": "sum",
    "head": "linear",
    "batch_size": 90,
    "learning_rate": 2e-5,
    "weight_decay": 3e-4,
    "schedule": "annealed",
}
BY_POWERS = """
data: {name: zinc}
basis:
  powers:
    -0.2: {choice: [[1, 2], [1, 2, 3]]}
    -0.5: {low: 1, high: {range: [1, 3]}}
model: {choice: {small: {hidden: 8, filter: lin}, large: {hidden: {range: [16, 64], log: true}}}}
training: {epochs: 20}
"""
BY_LISTS = """
data: {name: zinc}
basis:
  eps: {choice: [[-0.1], [-0.1, -0.2, -0.3, -0.4], [-0.5, 0.0]]}
  k: {choice: [3, [1, 2], {low: 1, high: 6}]}
  support: {choice: [{hops: 2}, {hops: 3}]}
model: {hidden: 16}
training:
  epochs: 50
  weight_decay: {choice: [0.0, 1e-5, 1e-2]}
  schedule:
    choice:
      fast: {kind: step, step: 2, gamma: 0.2}
      slow: {kind: step, step: {range: [4, 30]}, gamma: {range: [0.1, 0.9]}}
"""
MADE = {"small": SMALL, "finite": FINITE, "powers": BY_POWERS, "lists": BY_LISTS}
NAMES = [*space_names(), "ogbg-molhiv", *MADE]


def entry(**changes: Any) -> Entry:
    return Entry.model_validate(ENTRY | changes)


@cache
def space_of(name: str) -> Space:
    if name not in MADE:
        return load_space(name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.yaml"
        path.write_text(MADE[name], encoding="utf-8")
        return load_space(str(path))


def entries() -> st.SearchStrategy[Entry]:
    share, flag, eps = st.sampled_from([0.2, 0.5, 1.0]), st.booleans(), st.floats(-0.5, 0.0)
    return st.builds(
        entry,
        eps=st.tuples(eps, eps),
        k_share=share,
        support=st.sampled_from(["dense", "hops"]),
        standardise=flag,
        hidden_share=share,
        layers=st.integers(1, 20),
        filter=st.sampled_from(["lin", "1l", "2l"]),
        channels=st.sampled_from(["idp", "shd"]),
        filter_norm=flag,
        softmax=flag,
        activation=st.sampled_from(["gelu", "relu"]),
        ffn_norm=flag,
        dropout=st.floats(0.0, 0.9),
        readout=st.sampled_from(["mean", "max", "sum"]),
        head=st.sampled_from(["linear", "mlp"]),
        batch_size=st.integers(1, 1000),
        learning_rate=st.floats(1e-6, 1.0),
        weight_decay=st.sampled_from([0.0, 1e-5, 1.0]),
        schedule=st.sampled_from(["annealed", "step"]),
    )


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=entries())
def test_a_fitted_entry_is_a_point_of_the_space(name: str, made: Entry) -> None:
    space = space_of(name)
    for point in fitted(space, [made]):
        space.contains(point)
        config = space.config(point)
        first = space.config(
            space.sample(lambda p: p.domain.values[0] if p.domain.values else 2e-3)
        )
        for setting, kind in kinds_of(config).items():  # as wanted, or the space's only one
            assert kind == made.kinds[setting] or kind == kinds_of(first)[setting]


@pytest.mark.parametrize("name", space_names())
def test_the_portfolio_fits_into_every_shipped_space(name: str) -> None:
    space = load_space(name)
    configs = [space.config(point) for point in portfolio_points(space)]
    assert len(configs) >= min(
        len(shipped_portfolio()), space.defaults.trials // 3
    )  # so many are used
    assert len({config.content_hash() for config in configs}) == len(configs)


def test_values_in_mutag() -> None:
    (point,) = fitted(load_space("mutag"), [entry()])
    assert point == {
        "basis": "window",
        "basis.window.eps.low": -0.4,
        "basis.window.eps.high": -0.1,
        "basis.window.k.high": 5,  # 0.67 of 8
        "basis.window.support": "dense",
        "basis.window.standardise": False,
        "basis.window.select": "full",
        "model.hidden": 192,
        "model.layers": 6,
        "model.filter": "2l",
        "model.channels": "idp",
        "model.filter_norm": True,
        "model.softmax": True,
        "model.activation": "gelu",
        "model.ffn_activation": "gelu",
        "model.ffn_norm": True,
        "model.dropout": 0.1,
        "model.readout": "sum",
        "model.head": "linear",
        "training.batch_size": 64,
        "training.learning_rate": 1e-4,
        "training.weight_decay": 1e-4,  # 3e-4 is closer to it than to 1e-3 in the logarithm
        "training.schedule": "cosine",
    }


def test_values_in_freesolv() -> None:
    made = entry(learning_rate=1e-3, support="hops", standardise=True, softmax=False)
    (point,) = fitted(load_space("freesolv"), [made])  # what the space fixes stays
    assert point == {
        "basis": "window",
        "basis.window.eps.low": -0.4,
        "basis.window.eps.high": -0.1,
        "basis.window.k.high": 3,  # 0.67 of 5
        "basis.window.select": "full",
        "model.hidden": 48,
        "model.layers": 3,
        "model.filter": "2l",
        "model.channels": "idp",
        "model.filter_norm": True,
        "model.dropout": 0.1,
        "model.readout": "sum",
        "training.learning_rate": 1e-3,
        "training.weight_decay": 1e-4,
    }


@pytest.mark.parametrize(
    ("name", "changes", "values"),
    [
        ("mutag", {"schedule": "step"}, {"training.schedule": "published"}),
        ("mutag", {"support": "hops"}, {"basis.window.support": '{"hops": 4}'}),
        ("small", {"eps": [-0.5, -0.5], "k_share": 1.0, "schedule": "step"}, {"basis": "window"}),
        ("zinc", {"eps": [-0.5, -0.1], "k_share": 0.5}, {"basis": "window"}),  # with k = 1, 2, 3
        ("ogbg-molhiv", {"schedule": "step"}, {"training.schedule": "slower"}),
        ("powers", {"k_share": 1.0}, {"basis.powers.-0.2": "[1, 2, 3]", "model": "large"}),
        ("powers", {"k_share": 0.67}, {"basis.powers.-0.5.high": 2, "model.large.hidden": 48}),
        (
            "lists",
            {"support": "hops", "schedule": "step", "k_share": 1.0, "weight_decay": 1e-6},
            {
                "basis.eps": "[-0.1, -0.2, -0.3, -0.4]",
                "basis.k": '{"low": 1, "high": 6}',
                "basis.support": '{"hops": 3}',
                "training.weight_decay": 0.0,
                "training.schedule": "slow",
                "training.schedule.slow.step": 10,
                "training.schedule.slow.gamma": 0.6,
            },
        ),
    ],
)
def test_the_closest_option_is_taken(
    name: str, changes: dict[str, Any], values: dict[str, Any]
) -> None:
    (point,) = fitted(space_of(name), [entry(**changes)])
    assert {path: point[path] for path in values} == values


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("freesolv", {"readout": "max"}),
        ("freesolv", {"filter": "1l"}),
        ("zinc", {"readout": "max"}),
        ("small", {"schedule": "annealed"}),
        ("powers", {"filter": "1l"}),
    ],
)
def test_an_entry_whose_kind_is_not_offered_is_left_out(name: str, changes: dict[str, Any]) -> None:
    offered = fitted(space_of(name), [entry(**changes)])
    assert len(offered) == (name == "zinc")  # which offers all three


def test_what_the_entry_does_not_say_has_the_first_value(write: Write) -> None:
    text = SMALL.replace("epochs: 20", "epochs: 20\n  loss: {choice: [mse, l1]}")
    space = load_space(
        write(text.replace("flat: {kind: c", "a: {kind: cosine}\n      flat: {kind: c"))
    )
    (point,) = fitted(space, [entry()])
    assert point["training.loss"] == "mse"
    assert point["training.schedule"] == "a"


def test_equal_points_count_once() -> None:
    space = load_space("freesolv")
    pair = [entry(), entry(layers=30, softmax=False)]
    assert fitted(space, pair) == fitted(space, pair[:1])
