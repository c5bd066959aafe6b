"""Checks a space against the configuration before any trial: every option, both ends of ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from pdf_search.config import TrialConfig, wrong_together
from pdf_search.space.domains import Choice, FloatRange, IntRange, Label, Parameter
from pdf_search.space.fields import keys_below
from pdf_search.space.limits import COMPUTED, Limit
from pdf_search.space.problems import Problems, Where, did_you_mean
from pdf_search.space.tree import Node, Open, build, parameters

UNION_NOISE = {
    "tuple_type",
    "int_type",
    "dict_type",
    "model_type",
    "literal_error",
    "float_type",
    "missing",
}


def check_trials(tree: Node, problems: Problems) -> TrialConfig | None:
    """Validates one trial for each value worth probing; returns the first of them."""
    every = {parameter.path: parameter for parameter in parameters(tree)}
    first = _check_trial(tree, {}, every, problems)
    for parameter in every.values():
        for value in _probes(parameter):
            _check_trial(tree, {parameter.path: value}, every, problems)
    return first


def _probes(parameter: Parameter) -> tuple[Label, ...]:
    domain = parameter.domain
    return domain.values if isinstance(domain, Choice) else (domain.low, domain.high)


def _check_trial(
    tree: Node, picked: Mapping[str, Label], every: Mapping[str, Parameter], problems: Problems
) -> TrialConfig | None:
    picks = _open(picked, every)
    places: dict[Where, Node] = {}

    def choose(parameter: Parameter) -> Label:
        return picks.get(parameter.path, _probes(parameter)[0])

    plain = build(tree, choose, places.__setitem__)
    try:
        config = TrialConfig.model_validate(plain)
    except ValidationError as error:
        for (at, unknown), message in _located(error, plain).items():
            # Of an unknown key the key itself, not each of its options.
            where = (*_written_at(at[:-1], places), at[-1]) if unknown else _written_at(at, places)
            problems.add(where, message)
        return None
    _check_kinds(config, places, problems)
    return config


def located_errors(error: ValidationError, plain: Any) -> list[tuple[Where, str]]:
    """What is wrong with a trial's tree: the keys that lead to each place, and the message."""
    return [(at, message) for (at, _), message in _located(error, plain).items()]


def _located(error: ValidationError, plain: Any) -> dict[tuple[Where, bool], str]:
    """The message for each place, and whether the key there is unknown."""
    items: dict[tuple[Where, bool], list[Any]] = {}
    for item in _without_noise(error.errors()):
        unknown = item["type"] == "extra_forbidden"
        at = _place_in_tree(item, plain) or _named_key(item["msg"], plain)
        at = (item["loc"][-1],) if unknown and not at else at
        items.setdefault((at, unknown), []).append(item)
    return {place: _message(found, *place) for place, found in items.items()}


def _open(picked: Mapping[str, Label], every: Mapping[str, Parameter]) -> dict[str, Label]:
    """The picks, and those that open the parameters picked."""
    picks = dict(picked)
    for path in picked:
        condition = every[path].condition
        while condition is not None:
            picks[condition.path] = condition.values[0]
            condition = every[condition.path].condition
    return picks


def _place_in_tree(item: Any, plain: Any) -> Where:
    """The keys of a pydantic location, which names variants of unions too."""
    at: Where = ()
    for part in item["loc"]:
        if isinstance(plain, dict) and plain.get("kind") == part:
            continue  # the variant, which may have the name of a key as well
        is_key = isinstance(plain, dict) and part in plain
        is_item = isinstance(plain, list) and isinstance(part, int) and part < len(plain)
        if is_key or is_item:
            at, plain = (*at, part), plain[part]
    if item["type"] == "missing":
        at = (*at, item["loc"][-1])
    return at


def _named_key(message: str, plain: Any) -> Where:
    """Of settings that do not go together, the first that the message names."""
    return next(((word,) for word in message.split() if word in plain), ())


def _written_at(at: Where, places: Mapping[Where, Node]) -> Where:
    for end in range(len(at), -1, -1):
        if at[:end] in places:
            return (*places[at[:end]].where, *at[end:])
    return at


def _without_noise(items: Iterable[Any]) -> list[Any]:
    """Drops what pydantic says of the union variants that the writer did not mean."""
    every = list(items)
    telling = [item for item in every if item["type"] not in UNION_NOISE]
    kept = [i for i in every if i in telling or not _same_field(i, telling)]
    return [i for i in kept or every if not _follows(i, every)]


def _follows(item: Any, others: list[Any]) -> bool:
    """A list is called too short when each of its items was refused."""
    loc = item["loc"]
    inside = any(len(o["loc"]) > len(loc) and o["loc"][: len(loc)] == loc for o in others)
    return item["type"] == "too_short" and inside


def _same_field(item: Any, others: list[Any]) -> bool:
    field = item["loc"][:2]
    return len(item["loc"]) > 2 and any(other["loc"][:2] == field for other in others)


def _message(items: list[Any], at: Where, unknown: bool) -> str:
    if unknown:
        parent = ".".join(str(part) for part in at[:-1])
        return f"unknown key; {did_you_mean(str(at[-1]), keys_below(parent))}"
    return wrong_together(items, TrialConfig)


def _check_kinds(config: TrialConfig, places: Mapping[Where, Node], problems: Problems) -> None:
    """A range of whole numbers for a real setting, or the reverse, is hardly what was meant."""
    for at, node in places.items():
        if not isinstance(node, Open) or node.options:
            continue
        value: Any = config
        for part in at:
            value = value.get(part) if isinstance(value, dict) else getattr(value, str(part), None)
        domain = node.parameter.domain
        if isinstance(domain, IntRange) and isinstance(value, float):
            problems.add(node.where, REAL_WANTED)
        if isinstance(domain, FloatRange) and isinstance(value, int):
            problems.add(node.where, "takes whole numbers; add integer: true to its range")


REAL_WANTED = (
    "takes real numbers, and the range is written in whole ones; "
    "write range: [0.0, 1.0] with decimal points, or list the values: choice"
)


def check_limits(texts: Iterable[str], example: TrialConfig | None, problems: Problems) -> None:
    """Each limit must parse, name things that exist, and compare what can be compared."""
    known = [*COMPUTED, *_settings()]
    for index, text in enumerate(texts):
        place: Where = ("limits", index)
        try:
            limit = Limit.parse(text)
        except ValueError as error:
            problems.add(place, f"{text!r}: {error}")
            continue
        for name in limit.names:
            if name not in known:
                problems.add(place, f"{text!r}: no name {name}; {did_you_mean(name, known)}")
        if example is not None and set(limit.names) <= set(known):
            _check_comparable(limit, example, place, problems)


def _settings() -> list[str]:
    return [
        f"{part}.{key}" if part else key
        for part in ("model", "training", "basis", "training.schedule", "basis.eps", "basis.k")
        for key in keys_below(part)
    ]


def _check_comparable(limit: Limit, example: TrialConfig, place: Where, problems: Problems) -> None:
    try:
        limit.violation(limit.values(example, parameters=1))
    except TypeError as error:
        problems.add(place, f"{limit.text!r}: cannot be compared: {error}")
