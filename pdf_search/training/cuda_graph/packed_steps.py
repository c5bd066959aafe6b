"""Steps packed into rows of bytes, so that one copy fetches a step with all its tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import count
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

Tree = TypeVar("Tree")  # a dataclass of tensors, of such dataclasses, and of None

ALIGNED = 128  # each tensor of a row begins at a multiple of these bytes: one read of the GPU


def map_tensors(tree: Tree, change: Callable[[Tensor], Tensor]) -> Tree:
    """Copy a tree with ``change`` applied to each tensor, in the order of the fields.

    Dictionaries hold plans computed from the old tensors, so those of the new tree are empty.
    """
    return cast(Tree, _mapped(tree, change))


# Not inside ``map_tensors``: a function that calls itself refers to itself, so what ``change``
# holds would wait for Python's collector.
def _mapped(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, dict):
        return {}
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: _mapped(getattr(value, f.name), change) for f in fields(value)}
        return replace(value, **changed)
    return value


def tensors_of(tree: Tree) -> list[Tensor]:
    """List the tensors of a tree in the order of the fields."""
    found: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        found.append(tensor)
        return tensor

    map_tensors(tree, keep)
    return found


@dataclass(frozen=True)
class ByteRange:
    """Where a tensor of one step lies in the step's row of bytes."""

    start: int
    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def bytes(self) -> int:
        """Size of the tensor in bytes."""
        return torch.Size(self.shape).numel() * self.dtype.itemsize

    def view(self, rows: Tensor) -> Tensor:
        """View of the tensor in ``rows`` [..., bytes], with the leading dimensions of ``rows``."""
        part = rows[..., self.start : self.start + self.bytes]
        return part.view(self.dtype).view(*rows.shape[:-1], *self.shape)


@dataclass(frozen=True)
class Packed:
    """S packed steps: ``rows`` [S, bytes] of uint8; ``places`` has the order of the tensors."""

    rows: Tensor
    places: tuple[ByteRange, ...]

    @classmethod
    def of(cls, tree: Tree, pinned: bool = False) -> Packed:
        """Pack a tree whose tensors have a leading S.

        ``pinned``: into page-locked host memory, from which the GPU can copy by itself.
        """
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
        """Number of steps, S."""
        return len(self.rows)


def views(like: Tree, row: Tensor, places: tuple[ByteRange, ...]) -> Tree:
    """A tree with the structure of ``like`` whose tensors are views of ``row`` [bytes]."""
    number = count()
    return map_tensors(like, lambda _: places[next(number)].view(row))
