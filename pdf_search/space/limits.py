"""Limits such as ``parameters <= 500_000``: parsed and evaluated on Python's AST, without eval."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pdf_search.config import InputShape, TrialConfig
from pdf_search.parameters import parameter_count

COMPARE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.Gt: operator.gt,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
SYMBOLS: dict[type[ast.AST], str] = {
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.LtE: ast.Gt,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
ARITHMETIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
COMPUTED = ("parameters", "basis.size")
MAX_LENGTH = 300
STRICT = 1e-9  # the excess of a strict comparison of equal numbers


@dataclass(frozen=True)
class Limit:
    """A condition that trials must meet.

    It consists of comparisons of numbers, names, sums and products, joined by and, or, not.
    ``names``: the names in it, without repetition: dotted settings, or one of ``COMPUTED``.
    """

    text: str
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Parse a limit; whether its names exist is not checked here.

        Raises:
            ValueError: not a limit; the message gives the reason.
        """
        names = dict.fromkeys(_names(_parse(text)))
        return cls(text, tuple(names))

    def values(self, config: TrialConfig, parameters: int) -> dict[str, Any]:
        """Return the value of every name in the limit; None for a setting that the trial lacks.

        ``parameters``: the number of learnable parameters of the trial.
        """
        found = {name: _setting(config, name) for name in self.names}
        return found | ({"parameters": parameters} if "parameters" in found else {})

    def violation(self, values: Mapping[str, Any]) -> str | None:
        """Return a message with the numbers that break the limit; None if it holds.

        A limit holds if the trial lacks one of its settings, such as one of another schedule.
        """
        if any(values.get(name) is None for name in self.names):
            return None
        if _evaluate(_parse(self.text), values):
            return None
        numbers = ", ".join(f"{name} = {_printed(values[name])}" for name in self.names)
        return f"limit {self.text}: {numbers}"

    def excess(self, values: Mapping[str, Any]) -> float:
        """Return how far the limit is from holding, 0 where it holds.

        A broken comparison of numbers counts by their difference, and ``!=`` or a comparison of
        other values by 1. ``and`` adds its parts, ``or`` takes the least. Used to find the trial
        that is closest to the limits.
        """
        if any(values.get(name) is None for name in self.names):
            return 0.0
        return _excess(_parse(self.text), values, holds=True)

    @property
    def bound(self) -> tuple[str, str] | None:
        """The left side and the operator of a limit such as ``name <= number``.

        None unless the limit is one comparison, with names on its left side only.
        """
        node = _parse(self.text)
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        left, right = node.left, node.comparators[0]
        if any(True for _ in _names(right)) or not any(True for _ in _names(left)):
            return None
        return ast.unparse(left), SYMBOLS[type(node.ops[0])]

    def bounded(self, values: Mapping[str, Any]) -> Any:
        """Return the value of the left side. Call it only where ``bound`` is not None."""
        node = _parse(self.text)
        assert isinstance(node, ast.Compare)
        return _evaluate(node.left, values)


def count_parameters(config: TrialConfig, shape: InputShape) -> int:
    """Count the learnable parameters of one replicate of a trial."""
    return parameter_count(config.model, config.basis.size, shape)


def _setting(config: TrialConfig, name: str) -> Any:
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _printed(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _parse(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise ValueError(f"longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError("not a comparison; write for example: parameters <= 500_000") from None
    _check_truth(tree)
    return tree


def _check_truth(node: ast.expr) -> None:
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            _check_truth(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _check_truth(node.operand)
    elif isinstance(node, ast.Compare) and all(type(op) in COMPARE for op in node.ops):
        for part in (node.left, *node.comparators):
            _check_value(part)
    else:
        raise ValueError(f"{ast.unparse(node)!r} is not a comparison; use <=, <, >=, >, == or !=")


def _check_value(node: ast.expr) -> None:
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        _check_value(node.left)
        _check_value(node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _check_value(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        return
    elif not _is_name(node):
        raise ValueError(f"{ast.unparse(node)!r} is not a number, a name or a sum or product")


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_name(node.value))


def _names(node: ast.expr) -> Iterator[str]:
    if _is_name(node):
        yield ast.unparse(node)
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _names(child)


def _evaluate(node: ast.expr, values: Mapping[str, Any]) -> Any:
    if _is_name(node):
        return values[ast.unparse(node)]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BoolOp):
        results = [_evaluate(part, values) for part in node.values]
        return all(results) if isinstance(node.op, ast.And) else any(results)
    if isinstance(node, ast.UnaryOp):
        value = _evaluate(node.operand, values)
        return not value if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.BinOp):
        pair = _evaluate(node.left, values), _evaluate(node.right, values)
        return ARITHMETIC[type(node.op)](*pair)
    assert isinstance(node, ast.Compare)
    sides = [_evaluate(part, values) for part in (node.left, *node.comparators)]
    pairs = zip(node.ops, sides, sides[1:], strict=False)
    return all(COMPARE[type(op)](left, right) for op, left, right in pairs)


def _excess(node: ast.expr, values: Mapping[str, Any], holds: bool) -> float:
    """How far ``node`` is from being true, or from being false if ``holds`` is False."""
    if isinstance(node, ast.UnaryOp):
        return _excess(node.operand, values, not holds)
    if isinstance(node, ast.BoolOp):
        parts = [_excess(part, values, holds) for part in node.values]
        return sum(parts) if isinstance(node.op, ast.And) is holds else min(parts)
    assert isinstance(node, ast.Compare)
    sides = [_evaluate(part, values) for part in (node.left, *node.comparators)]
    wanted = [type(op) if holds else OPPOSITE[type(op)] for op in node.ops]
    parts = [_gap(op, *pair) for op, pair in zip(wanted, pairwise(sides), strict=True)]
    return sum(parts) if holds else min(parts)


def _gap(op: type[ast.AST], left: Any, right: Any) -> float:
    if COMPARE[op](left, right):
        return 0.0
    numbers = all(isinstance(side, int | float) for side in (left, right))
    if op is ast.NotEq or not numbers:
        return 1.0
    return abs(float(left) - float(right)) + (STRICT if op in (ast.Lt, ast.Gt) else 0.0)
