"""``--set path=value``: a fixed value, or a domain written inline, in place of what is there."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from pdf_search.errors import SpaceError
from pdf_search.space.definition import Definition, forget, known_paths, retarget
from pdf_search.space.fields import OWNED_BY_SWEEP
from pdf_search.space.parse import is_domain
from pdf_search.space.problems import Where, did_you_mean, dotted
from pdf_search.space.set_option import Override, parse_override


def apply_overrides(definition: Definition, overrides: Sequence[str]) -> Definition:
    """The definition after every ``path=value``, in order.

    Raises:
        SpaceError: not of that form, or there is no such path.
    """
    result = Definition(definition.source, copy.deepcopy(definition.plain), dict(definition.marks))
    parsed = [parse_override(text) for text in overrides]
    for override in parsed:
        _change_data_set(result, override)
    for override in parsed:
        _apply(result, override)
    return result


def _change_data_set(definition: Definition, override: Override) -> None:
    """A space used for another data set is judged by that set's metric and protocol."""
    value = override.value
    new = value.get("name") if override.path == "data" and isinstance(value, dict) else None
    new = value if override.path == "data.name" else new
    old = definition.plain.get("data")
    if new is not None and isinstance(old, dict) and new != old.get("name"):
        retarget(definition, {**old, "name": new})


def _apply(definition: Definition, override: Override) -> None:
    where = _find(definition.plain, override.path, override.place)
    _put(definition.plain, where, _option(definition.plain, where, override.value))
    forget(definition.marks, where)
    for inner in override.document.marks:
        definition.marks[(*where, *inner)] = override.place


def _find(plain: dict[str, Any], path: str, place: str) -> Where:
    """The place that a dotted path names: option names count as keys, ``choice`` does not."""
    where: Where = ()
    node: Any = plain
    rest = path
    while rest:
        if isinstance(node, dict) and isinstance(node.get("choice"), dict):
            where, node = (*where, "choice"), node["choice"]
        key = _next_key(node, rest)
        if key is None:
            return _new_place(plain, where, rest, path, place)
        where, node = (*where, key), node[key]
        rest = rest[len(key) :].removeprefix(".")
    return where


def _next_key(node: Any, rest: str) -> str | None:
    """Keys may hold dots themselves (``powers: {-0.2: ...}``), so the longest match wins."""
    keys = node if isinstance(node, dict) else {}
    found = [key for key in keys if rest == key or rest.startswith(f"{key}.")]
    return max(found, key=len, default=None)


def _new_place(plain: dict[str, Any], where: Where, rest: str, path: str, place: str) -> Where:
    """The place of a setting that the file leaves at its default."""
    if where and where[-1] == "choice":
        name, options = dotted(where), ", ".join(_at(plain, where))
        raise SpaceError(
            f"{place}: {name} is a choice of {options} here; "
            f"set {name} itself, or a key of one of its options: {name}.OPTION.KEY"
        )
    keys = [key for i, key in enumerate(where) if "choice" not in (key, *where[max(i - 1, 0) : i])]
    setting = ".".join(map(str, [*keys, rest]))
    if setting in known_paths():
        return (*where, *rest.split("."))
    if setting in OWNED_BY_SWEEP:
        raise SpaceError(f"{place}: {path}: cannot be set: {OWNED_BY_SWEEP[setting]}")
    raise SpaceError(f"{place}: {path}: unknown path; {remedy(setting)}")


def remedy(setting: str) -> str:
    """Close matches beside the setting, or else anywhere."""
    parent, _, word = setting.rpartition(".")
    beside = [p.rpartition(".") for p in known_paths()]
    names = [name for above, _, name in beside if above == parent]
    return did_you_mean(word, names) if names else did_you_mean(setting, known_paths())


def _at(plain: dict[str, Any], where: Where) -> Any:
    node: Any = plain
    for key in where:
        node = node[key]
    return node


def _option(plain: dict[str, Any], where: Where, value: Any) -> Any:
    """An option of a choice can be set by its name."""
    try:
        options = _at(plain, (*where, "choice"))
    except (KeyError, TypeError):
        return value
    known = isinstance(options, dict) and isinstance(value, str) and value in options
    return copy.deepcopy(options[value]) if known else value


def _put(plain: dict[str, Any], where: Where, value: Any) -> None:
    node: Any = plain
    for depth, key in enumerate(where[:-1]):
        inside_option = where[depth + 1] == "choice"
        if not isinstance(node.get(key), dict) or (is_domain(node[key]) and not inside_option):
            node[key] = {}
        node = node[key]
    node[where[-1]] = value
