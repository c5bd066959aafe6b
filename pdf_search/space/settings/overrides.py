"""Applies ``--set path=value`` to a tree; the value may be a domain where the tree is a space's.

The tree can be that of a space, of a row of a study, or of a data set.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pdf_search.errors import SpaceError
from pdf_search.space.config_paths import OWNED_BY_SWEEP
from pdf_search.space.files.problems import Problems, Where, did_you_mean, dotted
from pdf_search.space.settings.merge import Marks, Tree, lay_over, nested, setting_of
from pdf_search.space.settings.set_option import Override, parse_override


@dataclass(frozen=True)
class Settable:
    """The paths that ``--set`` may name; ``refused`` has reasons why some others may not be."""

    paths: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=lambda: OWNED_BY_SWEEP)


def read_sets(texts: Iterable[str], problems: Problems) -> tuple[Override, ...]:
    """Parse every ``path=value``; those that cannot be read are left out and go to ``problems``."""
    found = []
    for text in texts:
        try:
            found.append(parse_override(text))
        except SpaceError as error:
            problems.tell(str(error))
    return tuple(found)


def lay_sets(
    plain: Tree, marks: Marks, sets: Sequence[Override], settable: Settable, problems: Problems
) -> None:
    """Apply each of ``sets`` to ``plain`` in place, in order.

    A change of the data set is applied before all others. ``marks`` then has the ``--set`` of each
    changed place. What is wrong goes to ``problems``.
    """
    for override in sets:
        name = data_set_named(override)
        if name is not None and isinstance(plain.get("data"), dict):
            lay_over(plain, {"data": {"name": name}}, marks)
    for override in sets:
        try:
            _lay(plain, marks, override, settable)
        except SpaceError as error:
            problems.tell(str(error))


def data_set_named(override: Override) -> Any:
    """Return the name of the data set that a ``--set`` asks for; None if it names none."""
    value = override.value
    if override.path == "data" and isinstance(value, dict):
        return value.get("name")
    return value if override.path == "data.name" else None


def settings_named(texts: Iterable[str]) -> Tree:
    """Return a tree with the values of every ``path=value`` and nothing else.

    Raises:
        SpaceError: one of them cannot be read.
    """
    tree: Tree = {}
    for override in map(parse_override, texts):
        where = tuple(override.path.split("."))
        lay_over(tree, nested(where, override.value), {}, steps=len(where) - 1)
    return tree


def _lay(plain: Tree, marks: Marks, override: Override, settable: Settable) -> None:
    path, place = override.path, override.place
    reason = settable.refused.get(path.partition(".")[0])
    if reason is not None:
        raise SpaceError(f"{place}: {path}: cannot be set: {reason}")
    where = _find(plain, path, place, settable.paths)
    value = _option(plain, where, override.value)
    if value == {}:
        raise SpaceError(
            f"{place}: {path}: nothing is changed by {{}}; write what is to be changed"
        )
    lay_over(plain, nested(where, value), marks, steps=len(where) - 1)
    for inner in override.document.marks:
        marks[(*where, *inner)] = place


def _find(plain: Tree, path: str, place: str, paths: Sequence[str]) -> Where:
    """Return the place that a dotted path names.

    The path has the names of options but not ``choice``; the place has both.
    """
    where: Where = ()
    node: Any = plain
    rest = path
    while rest:
        if isinstance(node, dict) and isinstance(node.get("choice"), dict):
            where, node = (*where, "choice"), node["choice"]
        key = _next_key(node, rest)
        if key is None:
            return _new_place(node, where, rest, f"{place}: {path}", paths)
        where, node = (*where, key), node[key]
        rest = rest[len(key) :].removeprefix(".")
    return where


def _next_key(node: Any, rest: str) -> str | None:
    """Return the longest key of ``node`` that ``rest`` starts with; None if there is none.

    Keys may have dots in them, as in ``powers: {-0.2: ...}``.
    """
    keys = node if isinstance(node, dict) else {}
    found = [key for key in keys if rest == key or rest.startswith(f"{key}.")]
    return max(found, key=len, default=None)


def _new_place(node: Any, where: Where, rest: str, said: str, paths: Sequence[str]) -> Where:
    """Return the place of a setting that the tree does not hold yet, below ``where``.

    Raises:
        SpaceError: the path is unknown, or leads past a choice without naming an option.
    """
    if where and where[-1] == "choice":
        name = dotted(where)
        raise SpaceError(
            f"{said.rpartition(': ')[0]}: {name} is a choice of {', '.join(node)} here; "
            f"set {name} itself, or a key of one of its options: {name}.OPTION.KEY"
        )
    setting = ".".join(map(str, [*setting_of(where), rest]))
    if setting not in paths:
        raise SpaceError(f"{said}: unknown path; {_remedy(setting, paths)}")
    return (*where, *rest.split("."))


def _remedy(setting: str, paths: Sequence[str]) -> str:
    """Return a hint for an unknown path, from the keys beside it if there are any."""
    parent, _, word = setting.rpartition(".")
    beside = [path.rpartition(".") for path in paths]
    names = [name for above, _, name in beside if above == parent]
    return did_you_mean(word, names) if names else did_you_mean(setting, paths)


def _option(plain: Tree, where: Where, value: Any) -> Any:
    """Return the option of a choice if ``value`` is its name, else ``value``."""
    node: Any = plain
    for key in (*where, "choice"):
        node = node.get(key) if isinstance(node, dict) else None
    known = isinstance(node, dict) and isinstance(value, str) and value in node
    return copy.deepcopy(node[value]) if known else value
