from __future__ import annotations

import pytest

from pdf_search.errors import SpaceError
from pdf_search.space import Choice, FloatRange, IntRange, Parameter


def test_a_choice_keeps_its_own_label() -> None:
    choice = Choice((16, 32.0, "dense", True))
    assert choice.canonical(16.0) == 16
    assert isinstance(choice.canonical(32), float)
    assert choice.canonical("dense") == "dense"


def test_one_is_not_true() -> None:
    with pytest.raises(ValueError, match="True is not one of 1, 2"):
        Choice((1, 2)).canonical(True)
    with pytest.raises(ValueError, match="1 is not one of True"):
        Choice((True,)).canonical(1)


def test_whole_numbers() -> None:
    domain = IntRange(2, 8, step=3)
    assert tuple(domain.values) == (2, 5, 8)
    assert domain.canonical(5.0) == 5
    assert isinstance(domain.canonical(5.0), int)
    for value, reason in (
        (9, "outside 2..8"),
        (4, "multiple of 3"),
        (2.5, "whole"),
        (True, "whole"),
    ):
        with pytest.raises(ValueError, match=reason):
            domain.canonical(value)


def test_steps_snap_to_exact_decimals() -> None:
    domain = FloatRange(-0.5, 0.0, step=0.05)
    assert domain.values is not None
    assert domain.values[:3] == (-0.5, -0.45, -0.4)
    assert len(domain.values) == 11
    assert str(domain.values[-1]) == "0.0"
    assert domain.canonical(-0.5 + 4 * 0.05) == -0.3
    with pytest.raises(ValueError, match=r"plus a multiple of 0\.05"):
        domain.canonical(-0.33)


def test_reals_accept_both_ends_and_no_more() -> None:
    domain = FloatRange(1e-4, 1e-2, log=True)
    assert domain.values is None
    assert domain.canonical(1e-4) == 1e-4
    assert domain.canonical(1e-2 * (1 + 1e-12)) == 1e-2
    for value in (9e-5, 0.011, float("nan"), "0.001", True):
        with pytest.raises(ValueError, match=r"outside|not a number"):
            domain.canonical(value)


def test_a_parameter_names_its_path() -> None:
    with pytest.raises(SpaceError, match=r"^model\.hidden: 7 is not one of 16, 32$"):
        Parameter("model.hidden", Choice((16, 32))).canonical(7)
