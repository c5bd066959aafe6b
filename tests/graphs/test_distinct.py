from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pdf_search.graphs import distinct
from pdf_search.graphs.distinct import distinct_rows, round_significant
from tests.graphs.makers import quick

few_values = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-30, 3e7])
matrices = arrays(np.float32, st.tuples(st.integers(0, 30), st.integers(1, 4)), elements=few_values)


def check(rows: np.ndarray) -> None:
    unique, number = distinct_rows(rows)
    np.testing.assert_array_equal(unique[number], rows)
    assert len(unique) == len(np.unique(rows, axis=0))
    assert number.dtype == np.int32


@quick
@given(matrices)
def test_rows_come_back_and_none_is_there_twice(rows: np.ndarray) -> None:
    check(rows)


@quick
@given(matrices)
def test_colliding_hashes_are_noticed(rows: np.ndarray) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_hash_rows", lambda rows: np.zeros(len(rows), np.uint64))
        check(rows)


@quick
@given(matrices, st.randoms())
def test_the_order_depends_on_the_values_only(rows: np.ndarray, random: Random) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = rows[order]
    np.testing.assert_array_equal(distinct_rows(shuffled)[0], distinct_rows(rows)[0])


@quick
@given(
    arrays(
        np.float64, 20, elements=st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30)
    )
)
def test_rounding_keeps_22_significant_bits(values: np.ndarray) -> None:
    rounded = round_significant(values)
    assert (np.abs(rounded - values) <= 2.0**-22 * np.abs(values)).all()
    np.testing.assert_array_equal(round_significant(rounded.astype(np.float64)), rounded)


def test_rounding_merges_what_float64_computed_along_two_ways() -> None:
    one, other = 0.1 + 0.2, 0.3
    assert one != other
    assert round_significant(np.array(one)) == round_significant(np.array(other))


def test_negative_zero_is_zero() -> None:
    rounded = round_significant(np.array([[-0.0], [0.0]]))
    assert not np.signbit(rounded).any()
    assert len(distinct_rows(rounded)[0]) == 1
