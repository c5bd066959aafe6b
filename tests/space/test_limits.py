from __future__ import annotations

from typing import Any

import pytest

from pdf_search.config import CategoricalInput, InputShape, TrialConfig
from pdf_search.records import Task
from pdf_search.space import load_space
from pdf_search.space.limits import Limit

from .conftest import Write

SHAPE = InputShape(
    nodes=CategoricalInput(sizes=(28,)),
    edges=CategoricalInput(sizes=(4,)),
    outputs=1,
    task=Task.REGRESSION,
)


def trial(**model: Any) -> TrialConfig:
    basis = {"pairs": [(-0.1, 4), (-0.2, 4), (-0.3, 4), (-0.4, 4), (-0.5, 4)]}
    return TrialConfig.model_validate({"data": {"name": "zinc"}, "basis": basis, "model": model})


def holds(text: str, config: TrialConfig, parameters: int = 1000) -> bool:
    limit = Limit.parse(text)
    return limit.violation(limit.values(config, parameters)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parameters <= 1_000", True),
        ("parameters < 1000", False),
        ("basis.size == 6", True),
        ("basis.size != 6", False),
        ("2 <= model.layers <= 6", True),
        ("2 <= model.layers <= 5", False),
        ("model.layers * model.hidden <= 6 * 160", True),
        ("model.layers * (model.hidden + 1) <= 960", False),
        ("-model.layers + 1 > -6", True),
        ("model.layers <= 4 or model.hidden <= 160", True),
        ("model.layers <= 4 and model.hidden <= 160", False),
        ("not model.filter == '1l'", True),
        ("model.filter == '2l' and model.channels == 'shd'", False),
        ("training.schedule.step <= 3", True),  # this trial's schedule has no step
    ],
)
def test_limits_mean_what_they_say(text: str, expected: bool) -> None:
    assert holds(text, trial()) is expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "parameters",
        "parameters = 3",
        "parameters <= ",
        "parameters <= max(1, 2)",
        "__import__('os').system('true') == 0",
        "parameters.__class__ == [1]",
        "(lambda: 3)() == 3",
        "parameters <= 10 ** 9 ** 9",
        "parameters in [1, 2]",
        "parameters / 0 <= 1",
        "f'{parameters}' == '1'",
        "(" * 200 + "1" + ")" * 200 + " <= 2",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a|longer than"):
        Limit.parse(text)


def test_a_violation_tells_the_numbers(write: Write) -> None:
    space = load_space(
        write(
            """
            data: {name: zinc}
            basis: {pairs: [[-0.1, 4], [-0.2, 4], [-0.3, 4], [-0.4, 4], [-0.5, 4]]}
            model: {hidden: {range: [160, 161]}}
            limits: [parameters <= 500_000, basis.size <= 5]
            """
        )
    )
    assert space.violations(space.config({"model.hidden": 161}), SHAPE) == [
        "limit parameters <= 500_000: parameters = 505,863",
        "limit basis.size <= 5: basis.size = 6",
    ]
    assert space.violations(space.config({"model.hidden": 160}), SHAPE) == [
        "limit basis.size <= 5: basis.size = 6"
    ]
