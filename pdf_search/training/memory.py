"""Refuse a trial whose pairs cannot fit in memory, before anything is built."""

from __future__ import annotations

import psutil

from pdf_search.config import TrialConfig
from pdf_search.data.prepared import Prepared
from pdf_search.errors import TrialError
from pdf_search.graphs.size import estimate_near_pairs

BYTES_A_PAIR = 150  # of the bank and of the layout made from it, measured on ZINC and molhiv


def check_memory(config: TrialConfig, data: Prepared) -> None:
    """Compare the estimated size of the pairs with the memory that is free.

    Raises:
        TrialError: with the sizes and what to change.
    """
    graphs = data.graphs
    every_pair = config.engine == "reference" or config.model.dropout > 0
    if every_pair and config.basis.hops is None:
        pairs = int((graphs.node_count**2).sum())
    else:
        pairs = estimate_near_pairs(graphs, config.basis)
    needed, free = pairs * BYTES_A_PAIR, psutil.virtual_memory().available
    if needed > free:
        raise TrialError(
            f"{data.info.title}: {pairs:,} pairs need about {needed / 1e9:.1f} GB, "
            f"{free / 1e9:.1f} GB are free. Use hop support (basis.support: {{hops: 1}}), a "
            "smaller k, or without dropout the fast engine, which lists near pairs only"
        )
