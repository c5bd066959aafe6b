"""Points: sampled, checked, turned into trials, enumerated, written down and read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pdf_search.config import BasisConfig
from pdf_search.config.basis import EpsRange
from pdf_search.errors import SpaceError
from pdf_search.space import Choice, Condition, FloatRange, IntRange, Parameter, Space, load_space

from .conftest import Write


def first(parameter: Parameter) -> Any:
    domain = parameter.domain
    return domain.values[0] if isinstance(domain, Choice) else domain.low


def pick(**labels: Any) -> Any:
    by_path = {path.replace("__", "."): value for path, value in labels.items()}
    return lambda parameter: by_path.get(parameter.path, first(parameter))


def test_parameters_have_paths_domains_and_conditions(small: str) -> None:
    parameters = {p.path: p for p in load_space(small).parameters()}
    assert list(parameters) == [
        "basis",
        "basis.window.eps.low",
        "basis.window.eps.high",
        "basis.window.k.high",
        "basis.window.support",
        "model.hidden",
        "model.filter",
        "training.learning_rate",
        "training.schedule",
        "training.schedule.steps.step",
        "training.schedule.steps.gamma",
    ]
    assert parameters["basis"].domain == Choice(("few", "window"))
    assert parameters["basis"].condition is None
    window = Condition("basis", ("window",))
    assert parameters["basis.window.eps.low"].domain == FloatRange(-0.5, 0.0, 0.1)
    assert parameters["basis.window.eps.low"].condition == window
    assert parameters["basis.window.k.high"].domain == IntRange(2, 4)
    assert parameters["basis.window.support"].domain == Choice(("dense", '{"hops": 2}'))
    assert parameters["training.learning_rate"].domain == FloatRange(1e-4, 1e-2, log=True)


def test_only_open_domains_are_asked_for(small: str) -> None:
    space = load_space(small)
    asked: list[str] = []

    def choose(parameter: Parameter) -> Any:
        asked.append(parameter.path)
        return first(parameter)

    point = space.sample(choose)
    assert list(point) == asked
    assert asked == [
        "basis",
        "model.hidden",
        "model.filter",
        "training.learning_rate",
        "training.schedule",
    ]


def test_a_window_becomes_its_grid_whichever_end_is_low(small: str) -> None:
    space = load_space(small)
    ends = [(-0.1, -0.3), (-0.3, -0.1)]
    grids = []
    for low, high in ends:
        values = {"basis__window__eps__low": low, "basis__window__eps__high": high}
        point = space.sample(pick(basis="window", basis__window__support='{"hops": 2}', **values))
        config = space.config(point)
        assert config.basis.hops == 2
        grids.append(config.basis.grid)
    assert grids[0] == grids[1]
    assert grids[0] == tuple((eps, k) for eps in (-0.1, -0.2, -0.3) for k in (1, 2))


def test_a_conditional_choice_opens_its_own_keys(small: str) -> None:
    space = load_space(small)
    point = space.sample(pick(training__schedule="steps", training__schedule__steps__step=6))
    assert space.trial(point)["training"]["schedule"] == {"kind": "step", "step": 6, "gamma": 0.3}


def test_stepped_values_are_exact_whatever_float_arithmetic_gave(small: str) -> None:
    space = load_space(small)
    sampled = -0.5 + 2 * 0.1  # -0.3 but for the last bit
    point = space.sample(pick(basis="window", basis__window__eps__low=sampled))
    assert point["basis.window.eps.low"] == -0.3
    assert space.trial({**point, "basis.window.eps.low": sampled}) == space.trial(point)


def test_a_choice_outside_the_domain_is_refused(small: str) -> None:
    space = load_space(small)
    with pytest.raises(SpaceError, match=r"model\.hidden: 17 is not one of 16, 32"):
        space.sample(pick(model__hidden=17))


def test_points_outside_the_space_name_path_and_remedy(small: str) -> None:
    space = load_space(small)
    point = space.sample(first)
    space.contains(point)
    wrong: dict[str, dict[str, Any]] = {
        r"mine\.yaml: model\.hidden: 17 is not one of 16, 32": {**point, "model.hidden": 17},
        r"model\.hiden: no domain of this space; did you mean model\.hidden\?": {
            **point,
            "model.hiden": 16,
        },
        r"basis\.window\.k\.high: only open where basis = window; leave it out": {
            **point,
            "basis.window.k.high": 3,
        },
        r"model\.filter: the point has no value for it": {
            k: v for k, v in point.items() if k != "model.filter"
        },
        r"training\.learning_rate: 1 is outside 0\.0001\.\.0\.01": {
            **point,
            "training.learning_rate": 1,
        },
    }
    for message, values in wrong.items():
        with pytest.raises(SpaceError, match=message):
            space.contains(values)


def test_lists_and_mappings_have_short_stable_labels(write: Write) -> None:
    space = load_space(
        write(
            """
            data: {name: zinc}
            basis:
              eps: {choice: [[-0.1], [-0.05, -0.1, -0.15, -0.2, -0.25, -0.3, -0.35, -0.4]]}
              k: 2
            """
        )
    )
    (parameter,) = space.parameters()
    assert isinstance(parameter.domain, Choice)
    short, long = parameter.domain.values
    assert short == "[-0.1]"
    assert isinstance(long, str)
    assert len(long) <= 40
    assert long == "[-0.05, -0.1, -0.15, -0.2, -0.…#" + long[-8:]
    assert len(space.config({"basis.eps": long}).basis.grid) == 8


def test_powers_for_each_eps(write: Write) -> None:
    space = load_space(
        write(
            """
            data: {name: zinc}
            basis:
              powers:
                -0.2: {choice: [[1, 2], [1, 2, 3]]}
                -0.5: {low: 1, high: {range: [1, 3]}}
            """
        )
    )
    assert [p.path for p in space.parameters()] == ["basis.powers.-0.2", "basis.powers.-0.5.high"]
    basis = space.config({"basis.powers.-0.2": "[1, 2]", "basis.powers.-0.5.high": 1}).basis
    assert basis == BasisConfig.model_validate(
        {"powers": {-0.2: (1, 2), -0.5: {"low": 1, "high": 1}}}
    )


def test_the_grid_has_every_point_once(finite: str) -> None:
    space = load_space(finite)
    points = list(space.grid())
    assert space.size() == len(points) == 2 * (1 + 3 * 2)
    assert len({json.dumps(point) for point in points}) == len(points)
    for point in points:
        space.config(point)
    assert {point["model.hidden"] for point in points} == {16, 32}


def test_no_grid_over_a_continuous_domain(small: str) -> None:
    space = load_space(small)
    assert space.size() is None
    with pytest.raises(SpaceError, match=r"training\.learning_rate: continuous.*give the range a"):
        space.grid()


def test_a_space_without_domains_has_one_point(write: Write) -> None:
    space = load_space(write("data: {name: zinc}\nbasis: {pairs: [[-0.1, 4]]}\n"))
    assert space.size() == 1
    assert list(space.grid()) == [{}]
    assert space.config({}).model.hidden == 160


@pytest.mark.parametrize("name", ["zinc", "mutag", "freesolv", "ogbg-molhiv"])
def test_round_trip_through_json(name: str) -> None:
    space = load_space(name, ["model.dropout=0.2"])
    again = Space.from_dict(json.loads(json.dumps(space.as_dict())))
    assert again.as_dict() == space.as_dict()
    assert again.parameters() == space.parameters()
    assert again.defaults == space.defaults
    assert again.points_to_evaluate == space.points_to_evaluate
    assert again.notes == space.notes
    assert again.limits == space.limits
    point = space.sample(first)
    assert again.trial(point) == space.trial(point)


def test_a_recorded_space_needs_its_file_no_more(write: Write) -> None:
    path = write("extends: zinc\nmodel: {hidden: {choice: [16, 160]}}\n")
    data = load_space(path).as_dict()
    Path(path).unlink()
    assert Space.from_dict(data).points_to_evaluate[0]["model.hidden"] == 160


def test_damaged_records_are_refused() -> None:
    with pytest.raises(SpaceError, match="the recorded space is damaged"):
        Space.from_dict({"name": "x"})


def test_a_mapping_that_replaces_a_plain_value_keeps_the_published_point() -> None:
    space = load_space("zinc", ["basis={eps: [-0.5], k: {low: 1, high: 3}, support: {hops: 2}}"])
    assert space.points_to_evaluate
    assert space.config(space.points_to_evaluate[0]).model.hidden == 160
    assert space.config(space.points_to_evaluate[0]).basis.hops == 2


@pytest.mark.parametrize(
    ("low", "high", "step", "values"),
    [
        (-0.2, 0.0, 0.05, (-0.2, -0.15, -0.1, -0.05, 0.0)),
        (-0.3, -0.275, 0.0125, (-0.3, -0.2875, -0.275)),
        (-0.2, -0.1997, 0.0001, (-0.2, -0.1999, -0.1998, -0.1997)),
        (-0.1, -0.28, 0.05, (-0.28, -0.23, -0.18, -0.13)),  # the last step does not fit
    ],
)
def test_a_range_of_eps_has_every_step_and_nothing_else(
    low: float, high: float, step: float, values: tuple[float, ...]
) -> None:
    eps = EpsRange(low=low, high=high, step=step)
    assert eps.values() == values
    assert BasisConfig(eps=eps, k=2).grid == tuple((e, 2) for e in reversed(values))
