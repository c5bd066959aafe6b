"""Turns pydantic's errors into plain words: the value given, what the key means, what to write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from pdf_search.config.frozen import models_in

LONGEST = 60  # characters of a value that are shown
WANTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "none_required": "nothing",
}
BOUNDS = {
    "greater_than_equal": ("ge", "{} or more"),
    "greater_than": ("gt", "more than {}"),
    "less_than_equal": ("le", "{} or less"),
    "less_than": ("lt", "less than {}"),
}


def describe(error: ValidationError, model: type[BaseModel] | None = None) -> str:
    """Return the problems of a pydantic error as ``key: what is wrong``, one a line.

    ``model`` is the model that was validated. If it is given, each problem says what its key means.
    """
    lines = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"]) or "(whole tree)"
        lines.append(f"{key}: {wrong_together([item], model)}")
    return "\n".join(dict.fromkeys(lines))


def wrong_together(items: Sequence[Any], model: type[BaseModel] | None = None) -> str:
    """Say what is wrong at one place, and what to write there.

    ``items`` are the entries of ``error.errors()`` for that place. There are several where the
    field is a union; their wishes are then joined: ``give a list or a whole number``.
    """
    about = meaning(model, items[0]["loc"]) if model is not None else ""
    about = f" ({about})" if about else ""
    wants = [_wanted(item) for item in items]
    if all(wants):
        given = shown(items[0]["input"])
        return f"{given} does not fit: give {' or '.join(dict.fromkeys(wants))}{about}"
    return "; ".join(dict.fromkeys(_single(item, about) for item in items))


def _single(item: Any, about: str) -> str:
    kind, context = item["type"], item.get("ctx", {})
    match kind:
        case "value_error":
            return str(item["msg"]).removeprefix("Value error, ")
        case "missing":
            text = "missing; add it"
        case "extra_forbidden":
            text = "unknown key; leave it out"
        case "too_short":
            text = f"empty; list at least {context['min_length']}"
        case "union_tag_not_found":
            text = f"{_tag(context)} is missing; add it"
        case "union_tag_invalid":
            known = context["expected_tags"].replace("'", "")
            text = f"{_tag(context)} {context['tag']!r} is none of {known}; write one of them"
        case _:
            text = f"{shown(item['input'])} {_unfit(kind, context, item)}"
    return text + about


def _unfit(kind: str, context: Any, item: Any) -> str:
    """Say how a value does not fit: ``is too small: give 1 or more``."""
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        size = "small" if kind.startswith("greater") else "large"
        return f"is too {size}: give {words.format(_bound(context[name]))}"
    wanted = _wanted(item)
    reason = f"give {wanted}" if wanted else f"{item['msg'][0].lower()}{item['msg'][1:]}"
    return f"does not fit: {reason}"


def _bound(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _wanted(item: Any) -> str:
    """The kind of value that belongs there, such as ``a list``; "" if the kind is right."""
    if item["type"] in ("literal_error", "enum"):
        return str(item["ctx"]["expected"]).replace("'", "")
    return WANTED.get(item["type"], "")


def shown(value: Any) -> str:
    """A value as a space file spells it, cut after ``LONGEST`` characters."""
    plain = {None: "null", True: "true", False: "false"}
    text = plain[value] if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _tag(context: Any) -> str:
    return str(context["discriminator"]).strip("'")


def meaning(model: type[BaseModel], at: Sequence[str | int]) -> str:
    """The description of the field at a path of keys; "" if it has none.

    A place inside a list has the description of the list.
    """
    found, models = "", [model]
    for part in at:
        fields = [f for m in models for name, f in m.model_fields.items() if name == part]
        if fields:
            found = fields[0].description or ""
            models = [m for field in fields for m in models_in(field.annotation)]
    return found
