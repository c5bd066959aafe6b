"""Finds the bases of a whole space, so that its trials can share the computed ones."""

from __future__ import annotations

from pdf_search.config import BasisConfig, parse_trial
from pdf_search.space import Space
from pdf_search.sweep.samplers.trial_builder import random_points

POINTS = 256  # random points whose bases are collected; a trial computes one that they miss
MOST_BASES = 128  # with more than this (eps drawn freely), every trial computes its own bases


def shared_bases(space: Space) -> tuple[BasisConfig, ...]:
    """The union of a space's bases, one for each support and standardisation that occurs.

    The first trial that needs part of a union computes all of it; the others select its columns.
    A union of more than ``MOST_BASES`` bases is left out.
    """
    groups: dict[tuple[int | None, bool], list[BasisConfig]] = {}
    for point in [*map(dict, space.points_to_evaluate), *random_points(space, POINTS)]:
        basis = parse_trial(space.trial(point), f"space {space.name}").basis
        groups.setdefault((basis.hops, basis.standardise), []).append(basis)
    unions = map(union, groups.values())
    return tuple(basis for basis in unions if basis.size <= MOST_BASES)


def union(bases: list[BasisConfig]) -> BasisConfig:
    """Every eps with every k that occurs, which covers combinations that were not drawn.

    Support and standardisation are those of the first.
    """
    pairs = [pair for basis in bases for pair in basis.grid]
    eps, powers = (tuple(dict.fromkeys(column)) for column in zip(*pairs, strict=True))
    return BasisConfig(
        eps=eps,
        k=powers,
        diagonals=tuple(dict.fromkeys(e for basis in bases for e in basis.diagonals)),
        support=bases[0].support,
        standardise=bases[0].standardise,
    )
