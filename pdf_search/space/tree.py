"""The tree of a space: fixed values, branches and open domains, and the walks over it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pdf_search.space.domains import Label, Parameter
from pdf_search.space.files.problems import Where


@dataclass(frozen=True)
class Fixed:
    value: Any
    where: Where


@dataclass(frozen=True)
class Branch:
    children: Mapping[str, Node]
    where: Where


@dataclass(frozen=True)
class ParameterNode:
    """A domain. A choice has one option a label, which may open further domains."""

    parameter: Parameter
    options: Mapping[Label, Node]  # empty for a range
    where: Where


Node = Fixed | Branch | ParameterNode
Choose = Callable[[Parameter], Any]
Visit = Callable[[Where, Node], None]


def build(node: Node, choose: Choose, visit: Visit | None = None, at: Where = ()) -> Any:
    """The plain tree for what ``choose`` picks, in the order of the file.

    ``visit`` sees each node with the place in the built tree that it ends up at.
    """
    if visit is not None:
        visit(at, node)
    if isinstance(node, Fixed):
        return copy.deepcopy(node.value)
    if isinstance(node, Branch):
        return {k: build(child, choose, visit, (*at, k)) for k, child in node.children.items()}
    value = node.parameter.canonical(choose(node.parameter))
    return build(node.options[value], choose, visit, at) if node.options else value


def parameters(node: Node) -> Iterator[Parameter]:
    """Every domain, each before those that it opens."""
    if isinstance(node, Branch):
        for child in node.children.values():
            yield from parameters(child)
    elif isinstance(node, ParameterNode):
        yield node.parameter
        for option in node.options.values():
            yield from parameters(option)


def size(node: Node) -> int | None:
    """How many points; None if a domain is continuous."""
    if isinstance(node, Fixed):
        return 1
    if isinstance(node, Branch):
        return _combine([size(child) for child in node.children.values()], product=True)
    if node.options:
        return _combine([size(option) for option in node.options.values()], product=False)
    values = node.parameter.domain.values
    return None if values is None else len(values)


def _combine(sizes: list[int | None], product: bool) -> int | None:
    total = 1 if product else 0
    for count in sizes:
        if count is None:
            return None
        total = total * count if product else total + count
    return total


def points(node: Node) -> Iterator[dict[str, Any]]:
    """Every point as ``{path: value}``. Continuous domains must not occur."""
    if isinstance(node, Fixed):
        yield {}
    elif isinstance(node, Branch):
        yield from _product(list(node.children.values()))
    elif node.options:
        for label, option in node.options.items():
            for rest in points(option):
                yield {node.parameter.path: label, **rest}
    else:
        for value in node.parameter.domain.values or ():
            yield {node.parameter.path: value}


def _product(nodes: list[Node]) -> Iterator[dict[str, Any]]:
    if not nodes:
        yield {}
        return
    for first in points(nodes[0]):
        for rest in _product(nodes[1:]):
            yield {**first, **rest}


def match(node: Node, value: Any, exact: bool = False) -> dict[str, Any] | None:
    """The point at which ``node`` gives the plain ``value``; None if it has no such point.

    A fixed value that differs is passed over unless ``exact`` (inside an option): the point is
    then the closest one, and the caller compares.
    """
    if isinstance(node, Fixed):
        return None if exact and node.value != value else {}
    if isinstance(node, Branch):
        return _match_branch(node, value, exact)
    if node.options:
        for label, option in node.options.items():
            inside = match(option, value, exact=True)
            if inside is not None:
                return {node.parameter.path: label, **inside}
        return None
    try:
        return {node.parameter.path: node.parameter.domain.canonical(value)}
    except ValueError:
        return None


def _match_branch(node: Branch, value: Any, exact: bool) -> dict[str, Any] | None:
    if not isinstance(value, Mapping):  # a mapping without domains is a fixed value as well
        return None if exact or any(parameters(node)) else {}
    found: dict[str, Any] = {}
    for key, child in node.children.items():
        if key not in value and exact:
            return None
        inside = match(child, value.get(key), exact)
        if inside is None:
            return None
        found |= inside
    return found
