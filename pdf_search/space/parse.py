"""Parses plain data into the tree of a space: finds the domains and checks their syntax."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from pdf_search.space.domains import (
    Choice,
    Condition,
    Domain,
    FloatRange,
    IntRange,
    Label,
    Parameter,
)
from pdf_search.space.files.problems import Problems, Where, did_you_mean, dotted
from pdf_search.space.tree import Branch, Fixed, Node, ParameterNode

RANGE_KEYS = {"range", "step", "log", "integer"}
LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ -]*")
LABEL_LENGTH = 40
LARGEST = 2**53  # up to here a float holds every whole number exactly
MOST_STEPS = 1_000_000
NOT_SEARCHED = {
    "data": "a space is for one data set and one split",
    "protocol": "a space has one protocol",
    "folds": "a space has one protocol",
    "seeds": "every trial of a search has the same seeds",
    "engine": "it does not change the numbers",
    "device": "it does not change the numbers",
    "precision": "it does not change the numbers beyond rounding",
    "training.epochs": "the budget decides how long trials train",
}


def parse_tree(plain: Any, problems: Problems) -> Node:
    """Parse the tree of a definition. What cannot be read goes to ``problems``."""
    return _node(plain, (), None, problems)


def is_domain(plain: Any) -> bool:
    """Whether a value is written as a domain: a mapping with the key ``choice`` or ``range``."""
    return isinstance(plain, Mapping) and ("choice" in plain or "range" in plain)


def _node(plain: Any, where: Where, condition: Condition | None, problems: Problems) -> Node:
    if is_domain(plain):
        return _domain(plain, where, condition, problems)
    if isinstance(plain, Mapping):
        children = {k: _node(v, (*where, k), condition, problems) for k, v in plain.items()}
        return Branch(children, where)
    if isinstance(plain, list) and any(_has_domain(item) for item in plain):
        text = "a domain cannot stand in a list; use a choice between whole lists"
        problems.cannot_read(where, text)
    return Fixed(plain, where)


def _has_domain(plain: Any) -> bool:
    if is_domain(plain):
        return True
    items = plain.values() if isinstance(plain, Mapping) else plain
    return isinstance(plain, Mapping | list) and any(_has_domain(item) for item in items)


def _domain(
    plain: Mapping[str, Any], where: Where, condition: Condition | None, problems: Problems
) -> Node:
    path = dotted(where)
    for prefix, reason in NOT_SEARCHED.items():
        if path == prefix or path.startswith(prefix + "."):
            problems.cannot_read(where, f"cannot be searched: {reason}; give one value")
    known = {"choice"} if "choice" in plain else RANGE_KEYS
    for key in plain:
        if key not in known:
            problems.add((*where, key), f"unknown key of a domain; {did_you_mean(key, known)}")
    if "choice" in plain:
        return _choice(plain["choice"], where, condition, problems)
    try:
        domain = _range(plain)
    except ValueError as error:
        problems.cannot_read((*where, "range"), str(error))
        return Fixed(None, where)
    return ParameterNode(Parameter(path, domain, condition), {}, where)


def _choice(given: Any, where: Where, condition: Condition | None, problems: Problems) -> Node:
    place = (*where, "choice")
    path = dotted(where)
    if not isinstance(given, list | Mapping) or not given:
        problems.cannot_read(place, "give a list of values, or options by name, at least one")
        return Fixed(None, where)
    if isinstance(given, Mapping):
        options = _named_options(given, place, path, problems)
    else:
        options = _listed_options(given, place, problems)
    if not options:
        return Fixed(None, where)
    domain: Domain = Choice(tuple(options))
    return ParameterNode(Parameter(path, domain, condition), options, where)


def _named_options(
    given: Mapping[str, Any], place: Where, path: str, problems: Problems
) -> dict[Label, Node]:
    options: dict[Label, Node] = {}
    for label, plain in given.items():
        if not LABEL.fullmatch(label):
            problems.add(
                (*place, label), "an option's name has letters, digits, spaces, - and _ only"
            )
        options[label] = _node(plain, (*place, label), Condition(path, (label,)), problems)
    return options


def _listed_options(given: list[Any], place: Where, problems: Problems) -> dict[Label, Node]:
    options: dict[Label, Node] = {}
    for index, plain in enumerate(given):
        where = (*place, index)
        if _has_domain(plain):
            text = "an option with domains of its own needs a name: choice: {name: …}"
            problems.cannot_read(where, text)
            continue
        label = label_of(plain)
        if isinstance(label, float) and not isfinite(label):
            problems.cannot_read(where, f"{label} is no finite number")
            continue
        if label in options:
            problems.add(where, f"the option {label} is there twice, or equals another; keep one")
        options[label] = _node(plain, where, None, problems)
    return options


def label_of(plain: Any) -> Label:
    """Return the label of an option of a choice that has no name.

    A text, a number or a truth value is its own label. Anything else has its JSON text, which is
    cut and ends in a hash if it is longer than ``LABEL_LENGTH``.
    """
    if isinstance(plain, str | int | float | bool):
        return plain
    text = json.dumps(plain)
    if len(text) <= LABEL_LENGTH:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{text[: LABEL_LENGTH - 10]}…#{digest}"


def _range(plain: Mapping[str, Any]) -> IntRange | FloatRange:
    low, high = _ends(plain["range"])
    step = plain.get("step")
    if step is not None and not (_is_number(step) and isfinite(step) and step > 0):
        raise ValueError(f"step {step!r} must be a number above 0")
    log = _flag(plain, "log", False)
    if log and low <= 0:
        raise ValueError(f"log needs ends above 0, and low is {low:g}; raise low or drop log")
    if log and step is not None:
        raise ValueError("log and step exclude each other; drop one, or list the values: choice")
    numbers = (low, high) if step is None else (low, high, step)
    whole = all(isinstance(n, int) for n in numbers)
    if _flag(plain, "integer", whole):
        return _int_range(numbers, log)
    _check_step(low, high, step)
    return FloatRange(float(low), float(high), None if step is None else float(step), log)


def _ends(given: Any) -> tuple[int | float, int | float]:
    if not isinstance(given, list) or len(given) != 2 or not all(_is_number(n) for n in given):
        raise ValueError("give two numbers: range: [low, high]")
    for number in given:
        if not isfinite(number):
            raise ValueError(f"{number} is no finite number")
    if max(map(abs, given)) > LARGEST:
        raise ValueError(f"numbers beyond {LARGEST:.0e} are not exact; use smaller ends")
    low, high = given
    if low > high:
        raise ValueError(f"low {low:g} is above high {high:g}; write [{high:g}, {low:g}]")
    return low, high


def _int_range(numbers: tuple[int | float, ...], log: bool) -> IntRange:
    for number in numbers:
        if number != int(number):
            raise ValueError(f"{number:g} is not a whole number, which integer: true asks for")
    low, high, step = (*map(int, numbers), 1)[:3]
    _check_step(low, high, step)
    return IntRange(low, high, step, log)


def _check_step(low: float, high: float, step: float | None) -> None:
    if step is None:
        return
    count = (high - low) / step
    if isinstance(step, float) and count > MOST_STEPS:
        raise ValueError(f"steps of {step:g} make {count:.0f} values; drop step for all reals")
    if abs(count - round(count)) > 1e-6:
        last = low + int(count) * step
        raise ValueError(
            f"steps of {step:g} from {low:g} never reach {high:g}; end at {last:g}, "
            "or change the step"
        )


def _flag(plain: Mapping[str, Any], key: str, default: bool) -> bool:
    value = plain.get(key, default)
    if not isinstance(value, bool):
        raise ValueError(f"{key} is true or false, not {value!r}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
