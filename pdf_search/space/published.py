"""Published settings as points of a space: the first trials of a sweep."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel

from pdf_search.config import BasisConfig, TrialConfig
from pdf_search.space.domains import Label
from pdf_search.space.tree import Node, build, match

Point = dict[str, Label]


def plain_config(config: BaseModel) -> dict[str, Any]:
    """A configuration as the plain data that a file holds, defaults included."""
    tree = _plain(config.model_dump(mode="python"))
    assert isinstance(tree, dict)
    return tree


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def point_of(tree: Node, config: TrialConfig) -> Point | None:
    """The point of the space that is this trial, or differs from it in fixed values only."""
    return match(tree, plain_config(config))


def departures(tree: Node, point: Mapping[str, Label], config: TrialConfig) -> list[str]:
    """The dotted settings in which the trial at ``point`` differs from ``config``."""
    plain = build(tree, lambda parameter: point[parameter.path])
    return differences(TrialConfig.model_validate(plain), config)


def differences(
    mine: TrialConfig, theirs: TrialConfig, within: Collection[str] | None = None
) -> list[str]:
    """The dotted settings of ``mine`` that differ, of all keys or those ``within``."""
    trees = [plain_config(config) for config in (mine, theirs)]
    if within is not None:
        trees = [{key: tree[key] for key in within} for tree in trees]
    return list(_differences(trees[0], trees[1], ""))


def _differences(mine: Any, theirs: Any, at: str) -> list[str]:
    if not isinstance(mine, dict) or not isinstance(theirs, dict):
        return [] if mine == theirs else [f"{at} = {mine}"]
    if at == "basis" and _basis(mine) == _basis(theirs):
        return []
    found: list[str] = []
    for key in {**mine, **theirs}:
        path = f"{at}.{key}" if at else key
        found += _differences(mine.get(key), theirs.get(key), path)
    return found


def _basis(plain: dict[str, Any]) -> Any:
    basis = BasisConfig.model_validate(plain)
    return basis.grid, basis.diagonals, basis.hops, basis.standardise
