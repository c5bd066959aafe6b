"""Lays one tree of settings over another, and finds where two trees differ.

``lay_over`` is the one merge: of a file over the space that it extends, of a row of a study over a
setting of the paper, of a candidate over its row, and of ``--set`` over any of them.
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
"""The three ways to write the (eps, k) of the bases; each is a group of keys of ``basis``."""
GRID = tuple(key for way in WAYS for key in way)
OWN_DATA = ("path", "smiles", "targets", "task", "metric", "split_column", "skip_bad_rows")
"""The keys of ``data`` that hold for one data set only; another ``data.name`` drops them."""
ABSENT = object()


def overlay(below: Mapping[str, Any], above: Mapping[str, Any]) -> Tree:
    """Return ``above`` laid over ``below``, as ``lay_over`` does it; both stay as they are."""
    result = copy.deepcopy(dict(below))
    lay_over(result, above, {})
    return result


def lay_over(
    below: Tree, above: Mapping[str, Any], marks: Marks, at: Where = (), steps: int = 0
) -> None:
    """Change ``below`` in place to what ``above`` says.

    Mappings are merged key by key. Values, lists and domains are replaced as a whole, with these
    rules:

    - The keys of (eps, k) in ``basis`` are replaced as a whole, and one way to write them removes
      the others (``WAYS``).
    - A schedule of another kind replaces the one below.
    - Another data set removes the keys in ``OWN_DATA``.

    The places of what is replaced are removed from ``marks``. ``at``: the place of ``below`` in the
    whole tree. ``steps``: how many levels of ``above`` only lead to the place that is set, as the
    keys of a dotted path do; on these, choices and (eps, k) are entered and not replaced.
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
    """Return the keys of ``old`` that ``new`` makes invalid."""
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
    """Return the keys of a trial's tree that lead to a place: without ``choice`` and options."""
    return tuple(k for i, k in enumerate(where) if "choice" not in (k, *where[max(i - 1, 0) : i]))


def forget(marks: Marks, where: Where) -> None:
    """Remove the places of everything at and below ``where`` from ``marks``."""
    for old in [w for w in marks if w[: len(where)] == where]:
        del marks[old]


def nested(where: Where, value: Any) -> Tree:
    """Return a tree with one value: ``{model: {hidden: 64}}`` for ``("model", "hidden")``, 64."""
    tree = value
    for key in reversed(where):
        tree = {key: tree}
    assert isinstance(tree, dict)
    return tree


def tree_differences(mine: Any, theirs: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Iterate over the places that differ, as (dotted path, value in mine, value in theirs).

    A value is ``ABSENT`` where a tree has no such key.
    """
    if not isinstance(mine, dict) or not isinstance(theirs, dict):
        if mine != theirs:
            yield at, mine, theirs
        return
    for key in {**theirs, **mine}:
        path = f"{at}.{key}" if at else str(key)
        yield from tree_differences(mine.get(key, ABSENT), theirs.get(key, ABSENT), path)
