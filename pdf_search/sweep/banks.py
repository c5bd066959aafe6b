"""The bases of a whole space computed before its trials, which then only select columns."""

from __future__ import annotations

from collections.abc import Iterator

from pdf_search.config import BasisConfig, TrialConfig, parse_trial
from pdf_search.data.banks import cached_bank
from pdf_search.data.prepared import Prepared
from pdf_search.data.raw_set import Progress
from pdf_search.errors import TrialError
from pdf_search.space import Space
from pdf_search.sweep.trials import random_points
from pdf_search.training.memory import check_memory

POINTS = 256  # points of the space whose grids are looked at; a grid missed is built by its trial
MOST_BASES = 128  # a space with more (eps drawn freely) leaves every grid to its trial


def prepare_banks(space: Space, data: Prepared, progress: Progress) -> None:
    """Build and cache the banks that the trials of a space share, where memory allows."""
    for config in shared_bases(space):
        try:
            check_memory(config, data)
        except TrialError as error:
            progress(f"bases are left to the trials that need them: {error}")
        else:
            cached_bank(data, config.basis, progress=progress)


def shared_bases(space: Space) -> Iterator[TrialConfig]:
    """A trial for each support and standardisation, with all bases of the space that have them."""
    groups: dict[tuple[int | None, bool], list[TrialConfig]] = {}
    for point in [*map(dict, space.published), *random_points(space, POINTS)]:
        config = parse_trial(space.trial(point), f"space {space.name}")
        groups.setdefault((config.basis.hops, config.basis.standardise), []).append(config)
    for configs in groups.values():
        basis = _union([config.basis for config in configs])
        if basis.size <= MOST_BASES:
            yield configs[0].model_copy(update={"basis": basis})


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
