"""What ``basis.select: compact`` keeps of a space's grids, measured when a sweep is planned."""

from __future__ import annotations

from itertools import product
from typing import Any

from pdf_search.config import BasisConfig, TrialConfig
from pdf_search.data import CompactBases, Prepared, Progress
from pdf_search.graphs import analyse_bases
from pdf_search.space import Space
from pdf_search.sweep.samplers.trial_builder import random_points
from pdf_search.sweep.shared_bases import MOST_BASES, union

POINTS = 512  # random points whose bases are looked at; a grid that they miss is measured by itself


def compact_bases(
    space: Space, data: Prepared, config: TrialConfig, progress: Progress | None
) -> CompactBases | None:
    """Measure the widest grid of the compact points of a space, on the training graphs.

    It is measured with every support and standardisation that occurs. ``config``: a trial of the
    space, for its split. None if no point is compact.

    Raises:
        DataError: the cache cannot be written.
    """
    found = _compact_points(space)
    if not found:
        return None
    bases = CompactBases(data, config, _wide(found), progress)
    for basis in bases.wide:
        bases.kept(basis)
    return bases


def compact_words(bases: CompactBases) -> str:
    """How many bases are kept of the widest grid, for the line of a plan."""
    if not bases.wide:
        return "compact picks from each grid by itself: together they have too many (eps, k)"
    kept = sorted({len(bases.kept(basis).grid) for basis in bases.wide})
    some = f"{kept[0]}" if len(kept) == 1 else f"{kept[0]} to {kept[-1]}"
    return f"compact keeps {some} of the {len(bases.wide[0].grid)} (eps, k) of the widest grid"


def recorded_bases(bases: CompactBases | None) -> dict[str, Any]:
    """What the data tell of the widest grid, as JSON-like data, for the report; {} if not known.

    It is that of the first support and standardisation: all pairs, not standardised, if they occur.
    """
    if bases is None or not bases.wide:
        return {}
    basis = bases.wide[0]
    about = {
        "training_graphs": len(bases.graphs),
        "support": basis.model_dump(mode="json")["support"],
        "standardise": basis.standardise,
    }
    return about | analyse_bases(bases.moments(basis)).as_dict()


def quick_notes(space: Space) -> tuple[str, ...]:
    """What a plan says that did not look which bases are kept; () if no point is compact."""
    note = "with --quick, limits and counts take the whole grid of basis.select: compact"
    return (note,) if _compact_points(space) else ()


def _compact_points(space: Space) -> list[BasisConfig]:
    """The bases of the listed and some random points of a space that are compact."""
    points = [*map(dict, space.points_to_evaluate), *random_points(space, POINTS)]
    bases = (space.config(point).basis for point in points)
    return [basis for basis in bases if basis.select == "compact"]


def _wide(found: list[BasisConfig]) -> tuple[BasisConfig, ...]:
    """Every eps with every k that occurs, for each support and standardisation."""
    grid = union(found)
    if grid.size > MOST_BASES:
        return ()
    by_hops = {basis.hops or 0: basis.support for basis in found}
    supports = [by_hops[hops] for hops in sorted(by_hops)]
    standardised = sorted({basis.standardise for basis in found})
    return tuple(
        grid.model_copy(update={"support": support, "standardise": standardise})
        for support, standardise in product(supports, standardised)
    )
