"""What is given to the layers and the transform, checked with words of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pdf_search.errors import ConfigError, DataError


def whole(name: str, given: Any, least: int = 1) -> int:
    """Return a whole number of at least ``least``.

    Raises:
        ConfigError: It is none; ``name`` is the argument's.
    """
    if isinstance(given, bool) or not isinstance(given, Integral) or int(given) < least:
        raise ConfigError(f"{name}: {given!r} does not fit: give a whole number, {least} or more")
    return int(given)


def truth(name: str, given: Any) -> bool:
    """Return a truth value.

    Raises:
        ConfigError: It is none.
    """
    if not isinstance(given, bool):
        raise ConfigError(f"{name}: {given!r} does not fit: give True or False")
    return given


def numbers(name: str, given: Any) -> tuple[Any, ...]:
    """Return the numbers of a list.

    Raises:
        ConfigError: It is no list, is empty, or holds something else.
    """
    items = None if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not items or not all(map(_is_number, items)):
        shown = given if items is None else list(items)
        raise ConfigError(f"{name}: {shown!r} does not fit: give a list of numbers")
    return items


def _is_number(given: Any) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool) and math.isfinite(given)


def one_of(name: str, given: Any, choices: Sequence[str]) -> None:
    """Refuse what is none of ``choices``.

    Raises:
        ConfigError: It is none.
    """
    if given not in choices:
        raise ConfigError(f"{name}: {given!r} does not fit: give {' or '.join(choices)}")


def instance(name: str, given: Any, kind: type, how: str) -> None:
    """Refuse what is no ``kind``; ``how`` says where one comes from.

    Raises:
        DataError: It is none.
    """
    if not isinstance(given, kind):
        raise DataError(f"{name} is of type {type(given).__name__}: give {how}")


def array_of(name: str, given: Any) -> NDArray[Any]:
    """Return a tensor as an array.

    Raises:
        DataError: It is no tensor.
    """
    instance(name, given, Tensor, "a tensor")
    return np.asarray(given.cpu().numpy())


def edge_array(given: Any) -> NDArray[np.int64]:
    """Return ``edge_index`` as an array [2, e].

    Raises:
        DataError: It is something else.
    """
    if given is None:
        raise DataError("edge_index is missing: give integers [2, e], [2, 0] without edges")
    found = array_of("edge_index", given)
    if found.ndim != 2 or found.shape[0] != 2 or found.dtype.kind not in "iu":
        words = f"{_name(given.dtype)} {list(found.shape)}"
        raise DataError(f"edge_index is {words}: give integers [2, e], [2, 0] without edges")
    return found.astype(np.int64)


def check_undirected(edges: NDArray[np.int64], nodes: int, whose: str) -> None:
    """Refuse edges [2, e] with a node that is not there, or without their reverse.

    The normalised adjacency of the bases is symmetric. ``whose`` nodes they are is for messages.

    Raises:
        DataError: There is such an edge.
    """
    if edges.size and not 0 <= edges.min() <= edges.max() < nodes:
        odd = edges.max() if edges.max() >= nodes else edges.min()
        raise DataError(f"{whose} has {nodes} nodes, but an edge with node {odd}")
    one_way = ~np.isin(edges[1] * nodes + edges[0], edges[0] * nodes + edges[1])
    if one_way.any():
        u, v = edges[:, np.argmax(one_way)]
        raise DataError(
            f"edge ({u}, {v}) is there without its reverse ({v}, {u}): apply "
            "torch_geometric.transforms.ToUndirected before"
        )


def check_states(x: Any, nodes: int, channels: int) -> None:
    """Refuse node states that are not float32 [nodes, channels].

    Raises:
        DataError: They are not.
    """
    if not isinstance(x, Tensor) or x.dim() != 2:
        given = list(x.shape) if isinstance(x, Tensor) else type(x).__name__
        raise DataError(f"x is {given}: give a tensor [{nodes}, {channels}], nodes by channels")
    if x.shape[0] != nodes:
        raise DataError(f"x has {x.shape[0]} nodes, bases are of {nodes}")
    if x.shape[1] != channels:
        raise DataError(
            f"x has {x.shape[1]} channels, the layer was built for {channels}: bring x to "
            f"{channels} before, with torch.nn.Linear({x.shape[1]}, {channels})"
        )
    if x.dtype != torch.float32:
        raise DataError(f"x is {_name(x.dtype)}, the layer computes in float32: give x.float()")


def check_precision(weight: Tensor) -> None:
    """Refuse parameters or autocast to what is not float32, in which kernels and bases are.

    Raises:
        DataError: They are not.
    """
    if weight.dtype != torch.float32:
        raise DataError(
            f"the layer's parameters are {_name(weight.dtype)}, it computes in float32: "
            "bring them back with layer.float()"
        )
    if torch.is_autocast_enabled(weight.device.type):
        raise DataError(
            "the layer computes in float32, here autocast is on: call it inside "
            f"torch.autocast({weight.device.type!r}, enabled=False)"
        )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
