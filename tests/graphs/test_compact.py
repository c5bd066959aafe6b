"""The fast engine's layout: the same whatever the size of its blocks, in small integers."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.bank_layout import Ragged, _numbered_keys, compact, smallest
from tests.graphs.makers import SHAPES, basis, graph_set, random_set

GRID = ((-0.1, 2), (-0.3, 1), (-0.5, 2))


@pytest.mark.parametrize("by_pair", [True, False])
@pytest.mark.parametrize("hops", [None, 1])
def test_blocks_do_not_change_the_layout(by_pair: bool, hops: int | None) -> None:
    for graphs in (graph_set(SHAPES), random_set(3, 40)):
        bank = build_bank(graphs, basis(GRID, hops))
        whole = vars(compact(bank, by_pair))
        for block in (1, 30, 200):
            for name, ours in vars(compact(bank, by_pair, block)).items():
                theirs = whole[name]
                if isinstance(ours, Ragged):
                    assert np.array_equal(ours.ptr, theirs.ptr)
                    assert len(ours.columns) == len(theirs.columns)
                    for x, y in zip(ours.columns, theirs.columns, strict=True):
                        assert x.dtype == y.dtype == np.int16
                        assert np.array_equal(x, y)
                else:
                    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([], np.int16), ([-1, 32767], np.int16), ([32768], np.int32), ([-1, 2**31], np.int64)],
)
def test_smallest_integers(values: list[int], kind: type) -> None:
    ours = smallest(np.array(values, np.int64))
    assert ours.dtype == kind
    assert ours.tolist() == values


@pytest.mark.parametrize("lows", [0, 1, 3, 60])
def test_keys_are_numbered_as_sorting_does(lows: int) -> None:
    """By a table where few far rows occur, else by sorting."""
    width, count = 61, 40 * min(lows, 1)
    generator = np.random.default_rng(lows)
    high = generator.integers(0, width, count)
    low = generator.choice(width, max(lows, 1), replace=False)[np.arange(count) % max(lows, 1)]
    keys, numbers = _numbered_keys(high, low, width)
    theirs, inverse = np.unique(high * width + low, return_inverse=True)
    assert keys.tolist() == theirs.tolist()
    assert numbers.tolist() == inverse.tolist()
