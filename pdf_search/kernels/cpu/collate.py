"""Collates a batch of the fast engine on the CPU, in one pass over the lists of its graphs.

``model`` does the same with about a hundred operations of torch. Both give the same numbers in
the same order.

Legend: G graphs of the data set, R replicates, B graph slots, Q triples, M messages, E weight
entries, U rows of a replicate.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.kernels.cpu.runtime import ONE_CALLER, OPTIONS
from pdf_search.kernels.structures import (
    CollatedLists,
    GraphLists,
    GroupedTriples,
    Messages,
    Triples,
)


def collate_lists(
    graphs: Tensor, first_node: Tensor, node_count: Tensor, places: int, lists: GraphLists
) -> CollatedLists:
    """See ``operators.collate``."""
    *ragged, plus, minus, scratch = lists
    with ONE_CALLER:  # the scratch is shared
        made = _collate(
            graphs.contiguous().numpy(),
            first_node.numpy(),
            places,
            *map(_arrays, ragged),
            plus.numpy(),
            minus.numpy(),
            *_arrays(scratch),
        )
    table, entries, message, *orders = ([torch.from_numpy(a) for a in part] for part in made)
    node, kind, ptr = message
    return CollatedLists(
        rows=table[0],
        row_weight=table[1][..., None],
        plus=entries[0],
        minus=entries[1],
        messages=Messages(node, kind, ptr, node_count.flatten()),
        triples=Triples(*(GroupedTriples(o[0], o[1], o[2]) for o in orders)),
    )


def _arrays(tensors: tuple[Tensor, ...]) -> tuple[NDArray[np.generic], ...]:
    return tuple(t.numpy() for t in tensors)


@njit(**OPTIONS)
def _collate(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    graphs, first_node, nodes, rows, entries, triples, messages, plus, minus, row_place, entry_place
):
    """Collect the rows, weight entries, messages and triples of ``graphs`` [R, B].

    A graph is -1 for an empty slot. ``first_node`` [R, B] is the flat number of a slot's first
    node, ``nodes`` the number of flat node places. The lists are those of ``GraphLists``.
    ``row_place`` and ``entry_place`` are its scratch: -1 everywhere at the start and at the end.
    """
    replicates, slots = graphs.shape
    taken_rows = np.empty(_total(rows[0], graphs), np.int64)
    weight = np.zeros(len(taken_rows), np.float32)
    taken_entries = np.empty(_total(entries[0], graphs), np.int64)
    pair = np.empty((2, len(taken_entries)), np.int64)  # the rows of an entry, -1 for none
    row_first = np.zeros(replicates + 1, np.int64)
    entry_first = np.zeros(replicates + 1, np.int64)
    triple = np.empty((5, _total(triples[0], graphs)), np.int32)
    message = np.empty((2, _total(messages[0], graphs)), np.int64)
    message_ptr = np.zeros(replicates * slots + 1, np.int64)
    uses = np.zeros(message.shape[1] + 1, np.int32)
    q = 0
    for r in range(replicates):
        start = row_first[r]
        end = start + _distinct(rows, graphs[r], row_place, taken_rows[start:])
        _count(rows, graphs[r], row_place, weight[start:])
        first = entry_first[r]
        last = first + _distinct(entries, graphs[r], entry_place, taken_entries[first:])
        for i in range(first, last):
            for side, row in enumerate((plus[taken_entries[i]], minus[taken_entries[i]])):
                pair[side, i] = row_place[row] if row >= 0 else -1
        for b in range(slots):
            slot, g = r * slots + b, graphs[r, b]
            m = message_ptr[slot + 1] = message_ptr[slot]
            if g >= 0:
                shift = (first_node[r, b], first, m)
                q = _add_triples(triples, g, entry_place, shift, triple, q)
                message_ptr[slot + 1] = _add_messages(messages, g, shift, message, uses)
        row_first[r + 1], entry_first[r + 1] = end, last
        row_place[taken_rows[start:end]] = -1
        entry_place[taken_entries[first:last]] = -1

    width = np.diff(row_first).max()
    table = _padded(taken_rows, row_first, width), _padded(weight, row_first, width)
    both = _flat(pair, entry_first, width)
    target, factor, used = triple[0], triple[1], triple[2]
    by_segment = _pointer(target, nodes), factor, used
    by_entry = _grouped(factor, target, used, entry_first[-1])
    by_message = uses, triple[3], triple[4]
    return table, both, (message[0], message[1], message_ptr), by_segment, by_entry, by_message


@njit(**OPTIONS)
def _count(lists, graphs, place, weight):  # type: ignore[no-untyped-def]
    """Add to ``weight`` the number of pairs that have each row."""
    ptr, items, pairs = lists
    for g in graphs:
        if g >= 0:
            for i in range(ptr[g], ptr[g + 1]):
                weight[place[items[i]]] += pairs[i]


@njit(**OPTIONS)
def _add_triples(lists, g, entry_place, shift, out, q):  # type: ignore[no-untyped-def]
    """Write the triples of a graph from column ``q`` on, and return the next free column.

    The rows of ``out`` are node, entry and message, then entry and node in the order by message.
    ``shift`` is added to the graph's own numbers of node, entry and message.
    """
    ptr, v, entry, message, _, by_message = lists
    node, first, m = shift
    base, count = ptr[g], ptr[g + 1] - ptr[g]
    for i in range(count):
        out[0, q + i] = v[base + i] + node
        out[1, q + i] = entry_place[entry[base + i]] + first
        out[2, q + i] = message[base + i] + m
    for i in range(count):
        place = q + by_message[base + i]
        out[3, q + i], out[4, q + i] = out[1, place], out[0, place]
    return q + count


@njit(**OPTIONS)
def _add_messages(lists, g, shift, out, uses):  # type: ignore[no-untyped-def]
    """Write node and type of a graph's messages, and in ``uses`` where the triples of each end.

    Returns the number of the next message.
    """
    ptr, node, kind, count = lists
    m = shift[2]
    for i in range(ptr[g], ptr[g + 1]):
        out[0, m], out[1, m] = node[i] + shift[0], kind[i]
        uses[m + 1] = uses[m] + count[i]
        m += 1
    return m


@njit(**OPTIONS)
def _padded(values, first, width):  # type: ignore[no-untyped-def]
    """The values of each replicate in a row of their own, [R, width], padded with 0."""
    out = np.zeros((len(first) - 1, width), values.dtype)
    for r in range(len(out)):
        out[r, : first[r + 1] - first[r]] = values[first[r] : first[r + 1]]
    return out


@njit(**OPTIONS)
def _flat(pair, first, width):  # type: ignore[no-untyped-def]
    """Flat row numbers, with ``width`` + 1 rows a replicate; its last row stands for none."""
    out = np.empty((2, first[-1]), np.int64)
    for r in range(len(first) - 1):
        for i in range(first[r], first[r + 1]):
            for side in range(2):
                row = pair[side, i]
                out[side, i] = r * (width + 1) + (row if row >= 0 else width)
    return out


@njit(**OPTIONS)
def _total(ptr, graphs):  # type: ignore[no-untyped-def]
    """The number of items in the lists of these graphs together."""
    total = 0
    for g in graphs.flat:
        if g >= 0:
            total += ptr[g + 1] - ptr[g]
    return total


@njit(**OPTIONS)
def _distinct(lists, graphs, place, out):  # type: ignore[no-untyped-def]
    """Write the distinct items of these graphs to ``out``, ascending, and return their number.

    ``place`` of an item becomes its index in ``out``.
    """
    ptr, items = lists[0], lists[1]
    count = 0
    for g in graphs:
        if g >= 0:
            for i in range(ptr[g], ptr[g + 1]):
                if place[items[i]] < 0:
                    place[items[i]] = 0
                    out[count] = items[i]
                    count += 1
    out[:count].sort()
    for i in range(count):
        place[out[i]] = i
    return count


@njit(**OPTIONS)
def _pointer(key, groups):  # type: ignore[no-untyped-def]
    ptr = np.zeros(groups + 1, np.int32)
    for k in key:
        ptr[k + 1] += 1
    for g in range(groups):
        ptr[g + 1] += ptr[g]
    return ptr


@njit(**OPTIONS)
def _grouped(key, first, second, groups):  # type: ignore[no-untyped-def]
    """Group triples by ``key``; those of one group keep their order."""
    ptr = _pointer(key, groups)
    following = ptr.copy()
    out_first, out_second = np.empty_like(first), np.empty_like(second)
    for i in range(len(key)):
        place = following[key[i]]
        out_first[place], out_second[place] = first[i], second[i]
        following[key[i]] += 1
    return ptr, out_first, out_second
