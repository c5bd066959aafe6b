"""Banks and their layouts, kept in the process for the next trial with the same graphs and bases.

A worker often meets the same bases again: a trial that goes on from a rung, settings that change, a
basis that the sampler likes, the seeds of a confirmation. Selecting a bank's columns and laying
them out takes most of a trial's start on a larger data set.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any, TypeVar, cast

import numpy as np

from pdf_search.config import BasisConfig
from pdf_search.data import Prepared, cached_bank
from pdf_search.graphs import Bank, Compact
from pdf_search.model import PairLayout, lay_out

Kept = TypeVar("Kept")
Numbers = np.ndarray[Any, np.dtype[np.int64]]

MOST_BYTES = 256 << 20  # a process; ZINC's published bases take about half of it


class Recent:
    """Keeps what was used last, as long as its arrays take at most ``most`` bytes together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What is kept under ``key``, or else what ``make`` returns."""
        if key in self.kept:
            self.kept.move_to_end(key)
            return cast(Kept, self.kept[key][0])
        value = make()
        self.kept[key] = value, array_bytes(value)
        while sum(size for _, size in self.kept.values()) > self.most:
            self.kept.popitem(last=False)
        return value


def array_bytes(value: object) -> int:
    """Bytes of the numpy arrays in a tree of dataclasses and tuples."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(array_bytes, value))
    if is_dataclass(value):
        return sum(array_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


_recent = Recent(MOST_BYTES)


def bank_of(
    data: Prepared, basis: BasisConfig, numbers: Numbers, wider: Callable[[], BasisConfig | None]
) -> Bank:
    """The bank of the graphs ``numbers``. ``wider``: the bases to build if none is cached."""
    key = _key(data, basis, numbers)
    return _recent.get(key, lambda: cached_bank(data, basis, wider=wider()).subset(numbers))


def layout_of(
    data: Prepared, basis: BasisConfig, numbers: Numbers
) -> Callable[[Bank, PairLayout], Compact]:
    """What lays out the bank that ``bank_of`` gives for the same arguments, once."""
    key = _key(data, basis, numbers)
    return lambda bank, listing: _recent.get((key, listing), lambda: lay_out(bank, listing))


def _key(data: Prepared, basis: BasisConfig, numbers: Numbers) -> Hashable:
    """All that decides a bank of some of a data set's graphs; the targets are not part of it."""
    bases = (basis.grid, basis.diagonals, basis.hops, basis.standardise)
    return (data.fingerprint, sha256(numbers.tobytes()).digest(), bases)
