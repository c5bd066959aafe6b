"""Whatever a sampler picks is a valid trial, is accepted as a point, and survives JSON."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdf_search.space import Choice, FloatRange, Parameter, Space, load_space, space_names

NAMES = [*space_names(), "ogbg-molhiv"]


@cache
def space_of(name: str) -> Space:
    return load_space(name)


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    domain = parameter.domain
    if isinstance(domain, Choice):
        return st.sampled_from(domain.values)
    if isinstance(domain, FloatRange) and domain.step is None:
        return st.floats(domain.low, domain.high)
    if isinstance(domain, FloatRange):
        step, low = domain.step or 1.0, domain.low  # as float arithmetic gives it, unrounded
        steps = round((domain.high - low) / step)
        return st.integers(0, steps).map(lambda i: low + i * step)
    return st.sampled_from(domain.values or ())


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_sampled_point_is_a_trial(name: str, data: st.DataObject) -> None:
    space = space_of(name)
    point = space.sample(lambda parameter: data.draw(values_of(parameter), parameter.path))
    space.contains(point)
    config = space.config(point)
    assert config.basis.size > 1
    read = json.loads(json.dumps(point))
    assert space.config(read).content_hash() == config.content_hash()
    open_now = {p.path for p in space.parameters() if is_open(p, point)}
    assert set(point) == open_now


def is_open(parameter: Parameter, point: dict[str, Any]) -> bool:
    condition = parameter.condition
    return condition is None or point.get(condition.path) in condition.values


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_space_samples_the_same(name: str) -> None:
    space = space_of(name)
    again = Space.from_dict(json.loads(json.dumps(space.as_dict())))
    point = again.sample(lambda p: p.domain.values[-1] if p.domain.values else p.domain.high)  # type: ignore[union-attr]
    assert again.trial(point) == space.trial(point)
