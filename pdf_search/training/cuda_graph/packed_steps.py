"""Steps packed into rows of bytes, so that fetching a step is one copy, whatever it consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import count
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

Tree = TypeVar("Tree")  # a dataclass of tensors, of such dataclasses, and of None

ALIGNED = 128  # bytes at which a tensor of a row begins: what the GPU reads at once


def map_tensors(tree: Tree, change: Callable[[Tensor], Tensor]) -> Tree:
    """The same tree with each tensor changed, in the order of the fields.

    A dictionary holds what somebody worked out from the old tensors: the new tree's is empty.
    """

    def visit(value: Any) -> Any:
        if isinstance(value, Tensor):
            return change(value)
        if isinstance(value, dict):
            return {}
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: visit(getattr(value, f.name)) for f in fields(value)})
        return value

    return cast(Tree, visit(tree))


def tensors_of(tree: Tree) -> list[Tensor]:
    """The tensors of a tree, in the order of the fields."""
    found: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        found.append(tensor)
        return tensor

    map_tensors(tree, keep)
    return found


@dataclass(frozen=True)
class ByteRange:
    """Where a tensor of one step lies in its row."""

    start: int
    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def bytes(self) -> int:
        return torch.Size(self.shape).numel() * self.dtype.itemsize

    def view(self, rows: Tensor) -> Tensor:
        """The tensor in ``rows`` [..., bytes], with the leading dimensions of ``rows``."""
        part = rows[..., self.start : self.start + self.bytes]
        return part.view(self.dtype).view(*rows.shape[:-1], *self.shape)


@dataclass(frozen=True)
class Packed:
    """S steps as ``rows`` [S, bytes], uint8; ``places`` in the order of the tree's tensors."""

    rows: Tensor
    places: tuple[ByteRange, ...]

    @classmethod
    def of(cls, tree: Tree, pinned: bool = False) -> Packed:
        """``tree``: tensors with a leading S. ``pinned``: in host memory that the GPU can read."""
        tensors = tensors_of(tree)
        places, start = [], 0
        for tensor in tensors:
            places.append(ByteRange(start, tuple(tensor.shape[1:]), tensor.dtype))
            start += -(-places[-1].bytes // ALIGNED) * ALIGNED
        rows = torch.empty(
            len(tensors[0]), start, dtype=torch.uint8, device=tensors[0].device, pin_memory=pinned
        )
        for place, tensor in zip(places, tensors, strict=True):
            place.view(rows).copy_(tensor)
        return cls(rows, tuple(places))

    @property
    def steps(self) -> int:
        return len(self.rows)


def views(like: Tree, row: Tensor, places: tuple[ByteRange, ...]) -> Tree:
    """A tree of the shape of ``like`` whose tensors lie in ``row`` [bytes]."""
    number = count()
    return map_tensors(like, lambda _: places[next(number)].view(row))
