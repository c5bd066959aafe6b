"""Settings laid over one another: a published one, a row of a study, ``--set``."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

GRID = ("eps", "k", "powers", "pairs")


def overlay(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``above`` over ``below``, mapping by mapping; everything else as a whole.

    A grid of (eps, k) replaces the one below however that is written, and so does a schedule of
    another kind.
    """
    result = copy.deepcopy(dict(below))
    for key, value in above.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, Mapping):
            result[key] = overlay(_kept(key, old, value), value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def _kept(key: str, old: dict[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The part of ``old`` that still holds beside ``new``."""
    if key == "basis" and any(name in new for name in ("eps", "powers", "pairs")):
        return {name: value for name, value in old.items() if name not in GRID}
    if key == "schedule" and new.get("kind", old.get("kind")) != old.get("kind"):
        return {}
    if key in GRID:
        return {}
    return old


def nested(path: str, value: Any) -> dict[str, Any]:
    """``model.hidden`` and 64 as ``{model: {hidden: 64}}``."""
    tree = value
    for key in reversed(path.split(".")):
        tree = {key: tree}
    assert isinstance(tree, dict)
    return tree
