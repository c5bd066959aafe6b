"""The tree of a space: fixed values, branches and parameters, and the functions that walk it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pdf_search.space.domains import Choice, Label, Parameter
from pdf_search.space.files.problems import Where


@dataclass(frozen=True)
class Fixed:
    """A value that the search does not change. ``where``: its place in the file."""

    value: Any
    where: Where


@dataclass(frozen=True)
class Branch:
    """A mapping of keys to nodes. ``where``: its place in the file."""

    children: Mapping[str, Node]
    where: Where


@dataclass(frozen=True)
class ParameterNode:
    """A parameter of the search.

    ``options``: for a choice, the node of each label, which may hold further parameters; empty for
    a range. ``where``: the place of the domain in the file.
    """

    parameter: Parameter
    options: Mapping[Label, Node]
    where: Where


Node = Fixed | Branch | ParameterNode
Choose = Callable[[Parameter], Any]
Visit = Callable[[Where, Node], None]


def build(node: Node, choose: Choose, visit: Visit | None = None, at: Where = ()) -> Any:
    """Build the plain tree of a trial from the value that ``choose`` gives for each parameter.

    ``choose`` is called in the order of the file, only for parameters whose condition holds.
    ``visit`` is called for each node that is used, with its place in the built tree.

    Raises:
        SpaceError: a value is outside its domain.
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
    """Iterate over every parameter; a choice comes before those in its options."""
    if isinstance(node, Branch):
        for child in node.children.values():
            yield from parameters(child)
    elif isinstance(node, ParameterNode):
        yield node.parameter
        for option in node.options.values():
            yield from parameters(option)


def probes(node: Node) -> Iterator[Choose]:
    """Iterate over functions for ``build``: each option of a choice, both ends of each range.

    Every other parameter has its first value, and so has every one with the first function.
    """
    every = {parameter.path: parameter for parameter in parameters(node)}
    yield lambda parameter: _ends(parameter)[0]
    for parameter in every.values():
        for value in _ends(parameter):
            yield _picking(_opened(parameter, value, every))


def _ends(parameter: Parameter) -> tuple[Label, ...]:
    domain = parameter.domain
    return domain.values if isinstance(domain, Choice) else (domain.low, domain.high)


def _picking(picks: Mapping[str, Label]) -> Choose:
    return lambda parameter: picks.get(parameter.path, _ends(parameter)[0])


def _opened(parameter: Parameter, value: Label, every: Mapping[str, Parameter]) -> dict[str, Label]:
    """The value, with those of the choices on which its parameter depends."""
    picks, condition = {parameter.path: value}, parameter.condition
    while condition is not None:
        picks[condition.path] = condition.values[0]
        condition = every[condition.path].condition
    return picks


def size(node: Node) -> int | None:
    """Return the number of points; None if a domain is continuous."""
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
    """Iterate over every point, as ``{path: value}``. No domain may be continuous."""
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
    """Return the point at which ``node`` builds the plain ``value``; None if there is none.

    Unless ``exact``, fixed values may differ from those in ``value``, and the caller compares. The
    options of a choice are always matched exactly.
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
