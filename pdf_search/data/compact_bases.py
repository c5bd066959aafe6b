"""Resolves ``basis.select: compact`` into the bases that it keeps on a data set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import BasisConfig, TrialConfig, parse_trial
from pdf_search.data.cached_moments import cached_moments, training_graphs
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.raw.raw_set import Progress
from pdf_search.graphs import LEAST, BasisMoments, compact_picks

Key = tuple[object, ...]


class CompactBases:
    """Chooses the bases that ``compact`` keeps of a grid, by the training graphs of ``config``.

    ``wide``: unions of the bases of a space. A grid within one of them picks from its part of that
    one's products, so that they are measured once; any other grid is measured by itself.
    """

    def __init__(
        self,
        data: Prepared,
        config: TrialConfig,
        wide: Sequence[BasisConfig] = (),
        progress: Progress | None = None,
    ) -> None:
        self.data = data
        self.wide = tuple(wide)
        self.progress = progress
        self.config = config
        self._moments: dict[Key, BasisMoments] = {}
        self._kept: dict[Key, BasisConfig] = {}

    @cached_property
    def graphs(self) -> NDArray[np.int64]:
        """The training graphs, sorted."""
        return training_graphs(self.data, self.config)

    def resolved(self, config: TrialConfig) -> TrialConfig:
        """The configuration with its bases listed in ``pairs``; as it is where nothing is to do.

        Raises:
            ConfigError: the model does not go together with the bases that are kept.
            DataError: the cache cannot be written.
        """
        if config.basis.select == "full":
            return config
        tree = config.model_dump(mode="json")
        tree["basis"] = self.kept(config.basis).model_dump(mode="json")
        return parse_trial(tree, "basis.select: compact")

    def kept(self, basis: BasisConfig) -> BasisConfig:
        """The bases that ``compact`` keeps of the grid of ``basis``, as ``pairs``.

        Support, standardisation and diagonals stay.
        """
        key = _key(basis)
        if key not in self._kept:
            self._kept[key] = self._choose(basis)
        return self._kept[key]

    def moments(self, basis: BasisConfig) -> BasisMoments:
        """The products of the bases of one of ``wide`` that covers ``basis``, or of its own."""
        measured = next((wide for wide in self.wide if wide.covers(basis)), basis)
        key = _key(measured)
        if key not in self._moments:
            found = cached_moments(self.data, measured, self.graphs, self.progress)
            self._moments[key] = found
        return self._moments[key]

    def _choose(self, basis: BasisConfig) -> BasisConfig:
        picks = list(range(len(basis.grid)))
        if len(picks) > LEAST:
            picks = compact_picks(self.moments(basis).covariance(basis.grid, basis.diagonals))
        return BasisConfig(
            pairs=tuple(basis.grid[pick] for pick in sorted(picks)),
            diagonals=basis.diagonals,
            support=basis.support,
            standardise=basis.standardise,
        )


def _key(basis: BasisConfig) -> Key:
    return basis.grid, basis.diagonals, basis.hops, basis.standardise
