"""Trees of settings: how one is laid over another, and where two differ.

A file over the space that it extends, a row of a study over a published setting, a candidate over
its row, and ``--set`` over either all follow ``lay_over``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from pdf_search.space.files.problems import Where
from pdf_search.space.parse import is_domain

Tree = dict[str, Any]
Marks = MutableMapping[Where, str]

WAYS = (("eps", "k"), ("powers",), ("pairs",))
"""The ways to write a grid of (eps, k)."""
GRID = tuple(key for way in WAYS for key in way)
OWN_DATA = ("path", "smiles", "targets", "task", "metric")
"""What is said of one data set alone."""
ABSENT = object()


def overlay(below: Mapping[str, Any], above: Mapping[str, Any]) -> Tree:
    """``above`` over ``below``, as ``lay_over`` does it; both stay as they are."""
    result = copy.deepcopy(dict(below))
    lay_over(result, above, {})
    return result


def lay_over(
    below: Tree, above: Mapping[str, Any], marks: Marks, at: Where = (), steps: int = 0
) -> None:
    """Change ``below``: mappings key by key; values, lists and domains as a whole.

    The keys of a grid of (eps, k) are replaced as a whole, and one way to write it replaces the
    others. A schedule of another kind replaces the one below; another data set drops what is said
    of the one below alone. ``marks`` forgets the places of what is replaced. ``steps``: so many
    keys only lead to the place that is changed.
    """
    for key in _dropped(at, below, above):
        del below[key]
        forget(marks, (*at, key))
    for key, value in above.items():
        where = (*at, key)
        old: Any = below.get(key)
        mappings = isinstance(old, dict) and isinstance(value, Mapping)
        if mappings and _merges(where, old, value, steps):
            lay_over(old, value, marks, where, max(0, steps - 1))
        else:
            forget(marks, where)
            below[key] = copy.deepcopy(value)


def _merges(where: Where, old: Tree, new: Mapping[str, Any], steps: int) -> bool:
    if steps > 0:  # a path may lead into a choice or a grid
        return "choice" in new or not is_domain(old)
    setting = setting_of(where)
    whole = len(setting) > 1 and setting[0] == "basis" and setting[1] in GRID
    return not (whole or is_domain(old) or is_domain(new))


def _dropped(at: Where, old: Tree, new: Mapping[str, Any]) -> list[str]:
    """The keys of ``old`` that do not hold beside ``new``."""
    setting = () if at[-1:] == ("choice",) else setting_of(at)  # options may have any name
    if setting == ("basis",):
        given = [way for way in WAYS if any(key in new for key in way)]
        return [key for key in GRID if key in old and given and not any(key in w for w in given)]
    if setting == ("data",) and _other("name", old, new):
        return [key for key in OWN_DATA if key in old]
    if setting == ("training", "schedule") and _other("kind", old, new):
        return list(old)
    return []


def _other(key: str, old: Tree, new: Mapping[str, Any]) -> bool:
    return key in old and key in new and old[key] != new[key]


def setting_of(where: Where) -> Where:
    """The keys of a trial's tree that lead to a place: without choices and their options."""
    return tuple(k for i, k in enumerate(where) if "choice" not in (k, *where[max(i - 1, 0) : i]))


def forget(marks: Marks, where: Where) -> None:
    """Drop the places of everything at and below ``where``: it is being replaced."""
    for old in [w for w in marks if w[: len(where)] == where]:
        del marks[old]


def nested(where: Where, value: Any) -> Tree:
    """``("model", "hidden")`` and 64 as ``{model: {hidden: 64}}``."""
    tree = value
    for key in reversed(where):
        tree = {key: tree}
    assert isinstance(tree, dict)
    return tree


def tree_differences(mine: Any, theirs: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Dotted path and both values of every place that differs; ``ABSENT`` where there is none."""
    if not isinstance(mine, dict) or not isinstance(theirs, dict):
        if mine != theirs:
            yield at, mine, theirs
        return
    for key in {**theirs, **mine}:
        path = f"{at}.{key}" if at else str(key)
        yield from tree_differences(mine.get(key, ABSENT), theirs.get(key, ABSENT), path)
