"""Validates trees with pydantic and finds the place in the tree that each error is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from pdf_search.config import TrialConfig, wrong_together
from pdf_search.space.config_paths import keys_below
from pdf_search.space.files.problems import Where, did_you_mean

UNION_NOISE = {
    "tuple_type",
    "int_type",
    "bool_type",
    "dict_type",
    "string_type",
    "model_type",
    "literal_error",
    "float_type",
    "missing",
}
STAND_INS = {"data": {"name": "zinc"}, "basis": {"pairs": [[-0.5, 1]]}}
FILTER = {
    ("model", key) for key in ("filter", "coefficients", "channels", "filter_norm", "filter_bias")
}


class Wrong(NamedTuple):
    """An error. ``at``: its place in the tree; ``unknown``: whether the last key is unknown."""

    at: Where
    unknown: bool
    message: str


class Tried(NamedTuple):
    """The result of validating a tree as a trial.

    ``refused``: the places of wrong values; in ``config`` they are replaced by other values, so
    that the rest could be checked. ``config``: None if even that was not valid. ``wrong``: all
    errors, without repetition.
    """

    config: TrialConfig | None
    refused: frozenset[Where]
    wrong: tuple[Wrong, ...]

    def read(self, where: Where) -> bool:
        """Whether ``config`` has the value of the tree at a place, and not a replacement."""
        return self.config is not None and not any(where[: len(r)] == r for r in self.refused)


def try_trial(plain: dict[str, Any]) -> Tried:
    """Validate a trial's tree and find as many of its errors as possible.

    Pydantic checks how parts go together only when each part is valid. So wrong values are removed
    or replaced, and the rest is validated again.
    """
    refused: set[Where] = set()
    found: list[Wrong] = []
    rest = plain
    for _ in range(4):  # keys, then parts, then all together
        try:
            return Tried(TrialConfig.model_validate(rest), frozenset(refused), tuple(found))
        except ValidationError as error:
            found += [w for w in located_errors(error, rest, TrialConfig) if w not in found]
            for item in error.errors():
                refused |= _refused(item["loc"], item["msg"], rest)
        rest = STAND_INS | _without(plain, refused)
    return Tried(None, frozenset(refused), tuple(found))


def _refused(loc: Where, message: str, plain: Any) -> set[Where]:
    """Return the places to leave out after an error, so that the rest can be checked."""
    if not loc:
        return {_named_key(message, plain), ("protocol",), ("folds",)} - {()}
    place = loc[:1] if loc[0] in ("data", "basis") else loc[:2]
    return {place} | (FILTER if place == ("basis",) or place in FILTER else set())


def _without(plain: dict[str, Any], refused: set[Where]) -> dict[str, Any]:
    kept = {key: value for key, value in plain.items() if (key,) not in refused}
    return {
        key: {k: v for k, v in value.items() if (key, k) not in refused}
        if isinstance(value, dict)
        else value
        for key, value in kept.items()
    }


def located_errors(error: ValidationError, plain: Any, model: type[BaseModel]) -> list[Wrong]:
    """Return the errors of validating ``plain`` as a ``model``, one for each place in it."""
    items: dict[tuple[Where, bool], list[Any]] = {}
    for item in _without_noise(error.errors()):
        unknown = item["type"] == "extra_forbidden"
        at = _place_in_tree(item, plain) or _named_key(item["msg"], plain)
        at = (item["loc"][-1],) if unknown and not at else at
        items.setdefault((at, unknown), []).append(item)
    return [Wrong(*place, _message(found, *place, model)) for place, found in items.items()]


def _message(items: list[Any], at: Where, unknown: bool, model: type[BaseModel]) -> str:
    if unknown:
        parent = ".".join(str(part) for part in at[:-1])
        return f"unknown key; {did_you_mean(str(at[-1]), keys_below(parent, model))}"
    return wrong_together(items, model)


def _place_in_tree(item: Any, plain: Any) -> Where:
    """Return the keys and indices of an error's location; pydantic's also has union variants."""
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
    """Return the first top-level key that a message names, or () for none.

    For errors about how settings go together, which have no location.
    """
    keys = plain if isinstance(plain, dict) else ()
    return next(((word,) for word in message.split() if word in keys), ())


def _without_noise(items: Iterable[Any]) -> list[Any]:
    """Drop the errors about variants of a union that the writer did not mean."""
    every = list(items)
    telling = [item for item in every if item["type"] not in UNION_NOISE]
    kept = [i for i in every if i in telling or not _same_field(i, telling)]
    return [i for i in kept or every if not _follows(i, every)]


def _follows(item: Any, others: list[Any]) -> bool:
    """Whether pydantic calls a list too short only because its items were refused."""
    loc = item["loc"]
    inside = any(len(o["loc"]) > len(loc) and o["loc"][: len(loc)] == loc for o in others)
    return item["type"] == "too_short" and inside


def _same_field(item: Any, others: list[Any]) -> bool:
    field = item["loc"][:2]
    return len(item["loc"]) > 2 and any(other["loc"][:2] == field for other in others)
