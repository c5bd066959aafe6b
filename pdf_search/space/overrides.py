"""``--set path=value``: a fixed value, or a domain written inline, in place of what is there."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pdf_search.errors import SpaceError
from pdf_search.space.definition import Definition, forget, known_paths
from pdf_search.space.parse import is_domain
from pdf_search.space.problems import Where, did_you_mean, dotted
from pdf_search.space.yaml_reader import read_yaml


def apply_overrides(definition: Definition, overrides: Sequence[str]) -> Definition:
    """The definition after every ``path=value``, in order.

    Raises:
        SpaceError: not of that form, or there is no such path.
    """
    result = Definition(definition.source, copy.deepcopy(definition.plain), dict(definition.marks))
    for text in overrides:
        _apply(result, text)
    return result


def _apply(definition: Definition, text: str) -> None:
    place = f"--set {text}"
    path, equals, value_text = text.partition("=")
    path = path.strip()
    if not equals or not path:
        raise SpaceError(f"{place}: write --set path=value, for example --set model.hidden=64")
    document = read_yaml(value_text, place, lines=False)
    value = document.tree
    if path == "data.path" and isinstance(value, str):
        value = str(Path(value).absolute())
    if path == "data" and isinstance(value, dict) and isinstance(value.get("path"), str):
        value["path"] = str(Path(value["path"]).absolute())
    where = _find(definition.plain, path, place)
    value = _option(definition.plain, where, value)
    _put(definition.plain, where, value)
    forget(definition.marks, where)
    for inner in document.marks:
        definition.marks[(*where, *inner)] = place


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
    names = set(known_paths())
    inside_choice = "choice" in where
    if path in names and not inside_choice:
        return (*where, *rest.split("."))
    if inside_choice:
        end = where.index("choice")
        options = _at(plain, where[: end + 1])
        raise SpaceError(
            f"{place}: {dotted(where[:end])} is a choice of {', '.join(map(str, options))} here; "
            f"set {dotted(where[:end])} itself, or a key that one of its options has"
        )
    raise SpaceError(f"{place}: {path}: unknown path; {did_you_mean(path, names)}")


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
