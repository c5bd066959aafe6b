"""Finds the point of a space that a trial's configuration has, and compares configurations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pdf_search.config import TrialConfig
from pdf_search.space.domains import Label
from pdf_search.space.settings.merge import ABSENT, tree_differences
from pdf_search.space.tree import Node, build, match

Point = dict[str, Label]


def point_of(tree: Node, config: TrialConfig) -> Point | None:
    """Return the point of the space whose trial is ``config``, or None.

    The trial at the point may differ from ``config`` in fixed values; ``departures`` lists them.
    """
    return match(tree, config.model_dump(mode="json"))


def departures(tree: Node, point: Mapping[str, Label], config: TrialConfig) -> list[str]:
    """List the settings in which the trial at ``point`` differs from ``config``.

    Each is ``path = value``, with the value at the point.
    """
    plain = build(tree, lambda parameter: point[parameter.path])
    return differences(TrialConfig.model_validate(plain), config)


def differences(
    mine: TrialConfig, theirs: TrialConfig, within: Collection[str] | None = None
) -> list[str]:
    """List the settings of ``mine`` that differ from ``theirs``, as ``path = value``.

    ``within``: only these top-level keys. Bases that are the same but written in another way do
    not differ.
    """
    trees = [config.model_dump(mode="json") for config in (mine, theirs)]
    kept = set(trees[0]) if within is None else set(within)
    if _bases(mine) == _bases(theirs):
        kept -= {"basis"}  # however they are written
    ours, others = ({key: tree[key] for key in tree if key in kept} for tree in trees)
    found = tree_differences(ours, others)
    values = ((path, *(None if v is ABSENT else v for v in pair)) for path, *pair in found)
    return [f"{path} = {value}" for path, value, other in values if value != other]


def _bases(config: TrialConfig) -> Any:
    basis = config.basis
    return basis.grid, basis.diagonals, basis.hops, basis.standardise
