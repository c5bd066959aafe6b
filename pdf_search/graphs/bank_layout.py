"""Lays out a bank for the fast engine: for each graph the triples, rows and messages it needs.

Far pairs are never listed. If f(r0) is the weight of a graph's far pairs, node v receives
    sum over near (v, u): f[row] * G[u, t]  +  f(r0) * (sum over all u: G[u, 0] - sum over near u)
A near pair of type 0 therefore needs the weight f[row] - f(r0) on G[u, 0]. A near pair of type
t > 0 needs the weight f[row] on G[u, t], and -f(r0) on G[u, 0]. Each of these is a triple (v,
weight entry, message). The sum over the graph is a message, too. Its sign is reversed, so that it
also takes the weight -f(r0).

Large sets are laid out a block of graphs at a time, and each column has the smallest integer type
that holds it.

Legend: G graphs, P near pairs, Q triples, M messages (u, t), U bank rows, E weight entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.graphs.bank import Bank

Ints = NDArray[np.int64]
Column = NDArray[Any]  # integers

BLOCK = 2_000_000  # pairs that are laid out at once; each takes a few hundred bytes meanwhile

MOST_ENTRIES = 8  # of a table of keys, for each triple: it has 9 bytes an entry


@dataclass(frozen=True)
class Ragged:
    """Lists of unequal length, one for each graph g: ``column[ptr[g]:ptr[g + 1]]``."""

    ptr: Ints  # [G + 1]
    columns: tuple[Column, ...]

    @classmethod
    def joined(cls, parts: Sequence[Ragged]) -> Ragged:
        """Join the lists of all parts, which hold consecutive graphs."""
        lengths = np.concatenate([np.diff(part.ptr) for part in parts])
        columns = zip(*(part.columns for part in parts), strict=True)
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            tuple(np.concatenate(column) for column in columns),
        )

    def small(self) -> Ragged:
        """Return the same lists with each column in the smallest integer type that holds it."""
        return replace(self, columns=tuple(smallest(c) for c in self.columns))


@dataclass(frozen=True)
class Compact:
    """A bank in the layout of the fast engine.

    Node, message and pair numbers are local to their graph; row and entry numbers are not.
    """

    messages: Ragged  # node, edge type, triples that use it: all nodes of type 0, bonds, the sum
    triples: Ragged  # v, entry, message, pair (-1: far weight), place when sorted by message
    pairs: Ragged  # v, u, row, 1 if of type 0
    rows: Ragged  # distinct rows of the graph, far row included; pairs that have it
    entries: Ragged  # distinct weight entries of the graph
    plus: Ints  # [E] row whose weight counts, -1 for none
    minus: Ints  # [E] far row whose weight is taken off, -1 for none
    far_row: Ints  # [G] -1 where a graph has no far pair


def smallest(values: Column) -> Column:
    """Return the same integers in 16 or 32 bits if they fit, else unchanged."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    for kind in (np.int16, np.int32):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return values.astype(kind)
    return values


def compact(bank: Bank, by_pair: bool = True, block: int = BLOCK) -> Compact:
    """Lay out a bank for the fast engine.

    Args:
        bank: The bank; its far pairs are not listed.
        by_pair: Whether ``pairs`` is filled in, with every near pair. If not, ``entries`` is.
        block: About how many pairs are laid out at once.
    """
    parts = [_part(part, by_pair) for part in _blocks(bank, block)]
    keys = np.unique(np.concatenate([part.plus for part in parts]))
    entries = [_numbered(part, keys) for part in parts]
    width = len(bank.rows) + 1
    return Compact(
        messages=Ragged.joined([part.messages for part in parts]),
        triples=Ragged.joined([part.triples for part in entries]),
        pairs=Ragged.joined([part.pairs for part in parts]),
        rows=Ragged.joined([part.rows for part in parts]),
        entries=Ragged.joined([part.entries for part in entries]),
        plus=keys // width - 1,
        minus=keys % width - 1,
        far_row=np.concatenate([part.far_row for part in parts]),
    )


def _blocks(bank: Bank, size: int) -> list[Bank]:
    """Cut a bank into consecutive graphs with about ``size`` pairs each, as views of its arrays."""
    ptr = bank.pair_ptr
    ends = np.searchsorted(ptr, np.arange(size, ptr[-1] + size, size))
    ends = np.unique(np.concatenate([ends.clip(1, len(ptr) - 1), [len(ptr) - 1]]))
    blocks = []
    for begin, end in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        pairs = slice(ptr[begin], ptr[end])
        blocks.append(
            replace(
                bank,
                node_count=bank.node_count[begin:end],
                far_row=bank.far_row[begin:end],
                pair_ptr=ptr[begin : end + 1] - ptr[begin],
                target=bank.target[pairs],
                source=bank.source[pairs],
                row=bank.row[pairs],
                edge_type=bank.edge_type[pairs],
            )
        )
    return blocks


def _numbered(part: Compact, keys: Ints) -> Compact:
    """Number the entries of a part by the place of their keys in ``keys``, which is sorted."""
    place = smallest(np.searchsorted(keys, part.plus))
    target, entry, *rest = part.triples.columns
    triples = replace(part.triples, columns=(target, place[entry], *rest))
    if not part.entries.columns:
        return replace(part, triples=triples)
    columns = (place[part.entries.columns[0]],)
    return replace(part, triples=triples, entries=replace(part.entries, columns=columns))


def _part(bank: Bank, by_pair: bool) -> Compact:
    """Lay out one block, whose weight entries are numbered within the block.

    ``plus`` and ``minus`` both hold the keys of the entries, ascending. A key encodes the row that
    counts and the far row that is taken off in one number.
    """
    graphs = len(bank.node_count)
    graph = np.repeat(np.arange(graphs), np.diff(bank.pair_ptr))
    far_row = np.where(bank.far_count > 0, bank.far_row, -1).astype(np.int64)
    v, u = bank.target.astype(np.int64), bank.source.astype(np.int64)
    kind, row = bank.edge_type.astype(np.int64), bank.row.astype(np.int64)
    messages, message = _messages(bank, graph, u, kind)
    corrected = (kind > 0) & (far_row[graph] >= 0)
    node_graph = np.repeat(np.arange(graphs), bank.node_count)
    node = np.arange(len(node_graph)) - np.repeat(
        np.cumsum(bank.node_count) - bank.node_count, bank.node_count
    )
    with_far = far_row[node_graph] >= 0
    far_graph = np.concatenate([graph[corrected], node_graph[with_far]])
    total = np.diff(messages.ptr)[node_graph] - 1  # the last message of a graph

    owner = np.concatenate([graph, far_graph])
    target = np.concatenate([v, v[corrected], node[with_far]])
    plus = np.concatenate([row, np.full(len(far_graph), -1)])
    minus = np.concatenate([np.where(kind == 0, far_row[graph], -1), far_row[far_graph]])
    used = np.concatenate([message, u[corrected], total[with_far]])
    pair = np.arange(len(v)) - bank.pair_ptr[graph]
    pair = np.concatenate([pair, np.full(len(far_graph), -1)])
    # Three sorted runs, which a stable sort of one key merges.
    order = np.argsort(owner * (int(bank.node_count.max(initial=0)) + 1) + target, kind="stable")
    owner, target, used, pair = owner[order], target[order], used[order], pair[order]

    keys, entry = _numbered_keys(plus[order] + 1, minus[order] + 1, len(bank.rows) + 1)
    triple_ptr = _ptr(owner, graphs)
    used_by = messages.ptr[owner] + used
    by_message = np.argsort(used_by, kind="stable") - triple_ptr[owner]
    uses = np.bincount(used_by, minlength=messages.ptr[-1])
    none = Ragged(np.zeros(graphs + 1, np.int64), ())
    pairs = Ragged(bank.pair_ptr, (v, u, row, (kind == 0).astype(np.int64)))
    entries = none if by_pair else _distinct(owner, entry, graphs, len(keys))
    return Compact(
        messages=Ragged(messages.ptr, (*messages.columns, uses)).small(),
        triples=Ragged(triple_ptr, (target, entry, used, pair, by_message)).small(),
        pairs=pairs.small() if by_pair else none,
        rows=_row_counts(bank, graph, row, far_row).small(),
        entries=entries.small(),
        plus=keys,
        minus=keys,
        far_row=far_row,
    )


def _numbered_keys(high: Ints, low: Ints, width: int) -> tuple[Ints, Ints]:
    """The distinct keys ``high * width + low``, ascending, and for each pair its key's number.

    ``high`` and ``low`` are in [0, width). Few ``low`` occur where no basis is standardised by
    graph; then a table numbers the keys, in a tenth of the time that sorting takes.
    """
    lows, low_place = _numbered_values(low, width)
    if width * len(lows) > MOST_ENTRIES * len(high):
        keys, number = np.unique(high * width + low, return_inverse=True)
        return keys, number.reshape(-1)
    codes, number = _numbered_values(high * len(lows) + low_place, width * len(lows))
    return codes // max(len(lows), 1) * width + lows[codes % max(len(lows), 1)], number


def _numbered_values(values: Ints, bound: int) -> tuple[Ints, Ints]:
    """The distinct values, all in [0, bound), ascending, and the number of each value's own."""
    there = np.zeros(bound, bool)
    there[values] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def _messages(bank: Bank, graph: Ints, u: Ints, kind: Ints) -> tuple[Ragged, Ints]:
    """List the messages (u, t) of each graph, and the number of each pair's message [P].

    Type 0 of every node comes first, then each combination of node and bond type that occurs, and
    last the sum over the graph, which is stored as node 0, type 0.
    """
    n = bank.node_count
    first = np.concatenate([[0], np.cumsum(n)])
    types = int(kind.max(initial=0)) + 1
    bond = kind > 0
    keys, combination = np.unique(
        (first[graph] + u)[bond] * types + kind[bond], return_inverse=True
    )
    node, node_graph = keys // types, np.searchsorted(first, keys // types, side="right") - 1
    extra = _ptr(node_graph, len(n))
    ptr = first + extra + np.arange(len(n) + 1)
    message = u.copy()
    message[bond] = n[graph[bond]] + combination.reshape(-1) - extra[graph[bond]]

    nodes, kinds = np.empty(ptr[-1], np.int64), np.zeros(ptr[-1], np.int64)
    place = np.arange(len(keys)) + first[node_graph + 1] + node_graph
    plain = np.ones(ptr[-1], bool)
    plain[place] = plain[ptr[1:] - 1] = False
    nodes[ptr[1:] - 1] = 0
    nodes[plain] = np.arange(first[-1]) - np.repeat(first[:-1], n)
    nodes[place], kinds[place] = node - first[node_graph], keys % types
    return Ragged(ptr, (nodes, kinds)), message


def _row_counts(bank: Bank, graph: Ints, row: Ints, far_row: Ints) -> Ragged:
    """The distinct rows of each graph, and how many of its pairs have each, far pairs included."""
    width = len(bank.rows)
    keys, counts = np.unique(graph * width + row, return_counts=True)
    far = np.flatnonzero(far_row >= 0)
    keys = np.concatenate([keys, far * width + far_row[far]])
    counts = np.concatenate([counts, bank.far_count[far]])
    distinct, place = np.unique(keys, return_inverse=True)
    total = np.bincount(place.reshape(-1), weights=counts, minlength=len(distinct))
    ptr = _ptr(distinct // width, len(bank.node_count))
    return Ragged(ptr, (distinct % width, total.astype(np.int64)))


def _distinct(owner: Ints, value: Ints, graphs: int, width: int) -> Ragged:
    """The distinct values of each graph, ascending; values are below ``width``."""
    keys = np.sort(owner * width + value)  # np.unique hashes, which takes fifty times as long
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return Ragged(_ptr(keys // width, graphs), (keys % width,))


def _ptr(owner: Ints, graphs: int) -> Ints:
    """The row pointer [G + 1] of entries that belong to the graphs ``owner``."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=graphs))])
