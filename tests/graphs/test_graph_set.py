from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.graphs.graph_set import gather_ragged
from tests.graphs.makers import EDGELESS, SHAPES, graph_set, quick, random_set


@quick
@given(st.lists(st.lists(st.integers(0, 99), max_size=4), min_size=1, max_size=6), st.data())
def test_gather_ragged_is_picking_lists(lists: list[list[int]], data: st.DataObject) -> None:
    items = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=8))
    ptr = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    flat = np.array([x for items in lists for x in items], np.int64)
    new_ptr, places = gather_ragged(ptr, np.array(items, np.int64))
    picked = [flat[places[a:b]].tolist() for a, b in pairwise(new_ptr)]
    assert picked == [lists[i] for i in items]


def test_subset_takes_the_graphs_in_the_order_asked() -> None:
    whole = graph_set(SHAPES, seed=2)
    order = np.array([3, 0, 8, 3])
    part = whole.subset(order)
    assert part.node_count.tolist() == whole.node_count[order].tolist()
    np.testing.assert_array_equal(part.targets, whole.targets[order])
    for place, graph in enumerate(order):
        for ptr, mine, theirs in (
            ("node_ptr", part.nodes, whole.nodes),
            ("edge_ptr", part.edges.T, whole.edges.T),
            ("edge_ptr", part.edge_type, whole.edge_type),
        ):
            a, b = getattr(part, ptr)[place : place + 2]
            c, d = getattr(whole, ptr)[graph : graph + 2]
            np.testing.assert_array_equal(mine[a:b], theirs[c:d])


def test_subset_of_nothing_and_of_edgeless_graphs() -> None:
    whole = graph_set([*SHAPES, EDGELESS])
    assert len(whole.subset(np.array([], np.int64))) == 0
    assert whole.subset(np.array([1, 9])).edges.shape == (2, 0)


def test_the_fingerprint_tells_every_array_apart() -> None:
    graphs = random_set(1, 4)
    same = random_set(1, 4)
    assert graphs.fingerprint() == same.fingerprint()
    changed = [
        replace(graphs, targets=graphs.targets + 1),
        replace(graphs, edge_type=graphs.edge_type[::-1].copy() + 1),
        replace(graphs, nodes=graphs.nodes.astype(np.int32)),
        replace(graphs, self_type=0),
    ]
    prints = {graphs.fingerprint(), *(other.fingerprint() for other in changed)}
    assert len(prints) == 5
