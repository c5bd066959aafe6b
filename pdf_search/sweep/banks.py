"""The bases of a whole space, which its trials share."""

from __future__ import annotations

from pdf_search.config import BasisConfig, parse_trial
from pdf_search.space import Space
from pdf_search.sweep.samplers.trial_builder import random_points

POINTS = 256  # points of the space whose grids are looked at; a grid missed is built by its trial
MOST_BASES = 128  # a space with more (eps drawn freely) leaves every grid to its trial


def shared_bases(space: Space) -> tuple[BasisConfig, ...]:
    """All bases of a space, for each support and standardisation that it has.

    The first trial that needs a part of one computes it whole; the others select columns.
    """
    groups: dict[tuple[int | None, bool], list[BasisConfig]] = {}
    for point in [*map(dict, space.points_to_evaluate), *random_points(space, POINTS)]:
        basis = parse_trial(space.trial(point), f"space {space.name}").basis
        groups.setdefault((basis.hops, basis.standardise), []).append(basis)
    unions = map(_union, groups.values())
    return tuple(basis for basis in unions if basis.size <= MOST_BASES)


def _union(bases: list[BasisConfig]) -> BasisConfig:
    """Every eps with every k that occur, so that grids not looked at are covered too."""
    pairs = [pair for basis in bases for pair in basis.grid]
    eps, powers = (tuple(dict.fromkeys(column)) for column in zip(*pairs, strict=True))
    return BasisConfig(
        eps=eps,
        k=powers,
        diagonals=tuple(dict.fromkeys(e for basis in bases for e in basis.diagonals)),
        support=bases[0].support,
        standardise=bases[0].standardise,
    )
