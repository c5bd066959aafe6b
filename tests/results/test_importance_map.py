"""The importance map over replicates: shares, stability, and when there is no difference."""

from __future__ import annotations

from typing import Any

import pytest

from pdf_search.results import ImportanceMap

GRID = [[0.0, 1], [-0.5, 1], [-0.2, 3]]
ALIKE = [[0, 1], [0, 1], [2]]


def tree(*errors: list[float], margin: float = 0.1, spread: float = 0.01) -> dict[str, Any]:
    """Replicates whose error falls from 1.0 to 0.2 with all bases."""
    replicates = []
    for row in errors:
        replicates.append(
            {"none": 1.0, "all": 0.2, "errors": row, "margin": margin, "margin_se": spread}
        )
    return {"grid": GRID, "alike": ALIKE, "graphs": 50, "replicates": replicates}


def of(found: dict[str, Any]) -> ImportanceMap:
    made = ImportanceMap.of(found)
    assert made is not None
    return made


def test_shares_are_of_what_all_bases_save() -> None:
    found = of(tree([1.0, 0.6, 0.2], [0.6, 0.6, 0.4]))
    assert found.shares == pytest.approx((0.25, 0.5, 0.875))
    assert (found.first, found.bundle, found.stability, found.replicates) == (2, (2,), 2, 2)
    assert found.profile() == [(1, pytest.approx(0.5)), (3, pytest.approx(0.875))]
    assert found.share((-0.5, 1)) == pytest.approx(0.5)
    assert found.share((-0.1, 1)) is None
    # Leads over (-0.5, 1): 0.5 and 0.25.
    assert found.lead == pytest.approx((0.375, 0.125))
    assert found.measurable
    assert found.sentence() == (
        "(-0.2, 3) alone keeps 88% of what the bases give. 2 of 2 replicates pick it first."
    )


def test_replicates_that_disagree_make_no_difference() -> None:
    found = of(tree([0.3, 0.3, 0.2], [0.2, 0.3, 0.3]))
    assert not found.measurable
    assert found.first == 0
    assert found.stability == 1
    assert found.sentence() == (
        "No measurable difference between (0, 1), (-0.5, 1) and the next best; "
        "1 of 2 replicates pick one of these first."
    )


@pytest.mark.parametrize(("margin", "clear"), [(0.03, True), (0.019, False)])
def test_a_single_replicate_is_judged_over_graphs(margin: float, clear: bool) -> None:
    found = of(tree([0.5, 0.5, 0.4], margin=margin))
    assert found.lead == pytest.approx((margin / 0.8, 0.01 / 0.8))
    assert found.measurable == clear


def test_a_record_that_still_has_the_picks_of_a_greedy_choice_is_read() -> None:
    now = tree([1.0, 0.6, 0.2], [0.6, 0.6, 0.4])
    before = tree([1.0, 0.6, 0.2], [0.6, 0.6, 0.4])
    for replicate, error in zip(before["replicates"], (0.2, 0.4), strict=True):
        replicate["picks"] = [[2, error], [1, 0.15]]
    assert of(before) == of(now)


def test_bases_that_give_nothing_are_told() -> None:
    flat = tree([1.0, 0.99, 1.0])
    flat["replicates"][0]["all"] = 0.995
    found = of(flat)
    assert not found.measurable
    assert found.sentence().startswith("No measurable difference: the network does as well without")


def test_replicates_without_a_value_are_left_out() -> None:
    whole = tree([0.5, 0.5, 0.4], [0.2, 0.3, 0.3])
    whole["replicates"][0]["errors"][1] = None
    assert of(whole).replicates == 1
    whole["replicates"][1]["all"] = None
    assert ImportanceMap.of(whole) is None
