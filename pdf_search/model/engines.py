"""The two engines of a PDF network: ``reference`` goes pair by pair, ``fast`` does far less work.

Both give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch

from pdf_search.config import ModelConfig
from pdf_search.graphs import Bank, Batch, Compact, DeviceData, GraphSet, compact
from pdf_search.model.fast_batch import FastBatch
from pdf_search.model.fast_data import FastData
from pdf_search.model.network import PDFNetwork

if TYPE_CHECKING:  # it needs torch_geometric, which takes seconds to import
    from pdf_search.model.gin import GINBatch, GINData, GINNetwork

EngineData: TypeAlias = "DeviceData | FastData | GINData"
EngineBatch: TypeAlias = "Batch | FastBatch | GINBatch"
Network: TypeAlias = "PDFNetwork | GINNetwork"

MOST_PAIRS = 3  # a softmax lists all pairs up to this multiple of the near ones


@dataclass(frozen=True)
class PairLayout:
    """Which pairs the fast engine lists, and whether each has a weight of its own."""

    every_pair: bool  # list far pairs too
    by_pair: bool  # a weight for each pair; else pairs share the weights of their rows

    @classmethod
    def of(cls, config: ModelConfig, near: int, supported: int) -> PairLayout:
        """Choose the layout for a model and a data set with so many pairs.

        ``near``: number of near pairs. ``supported``: number of supported pairs, which under dense
        support are all pairs of every graph.

        Dropout on the filter draws noise for each pair, so every pair is listed. A softmax lists
        every pair if there are at most ``MOST_PAIRS`` times as many as near ones; pairs with the
        same row then share one exponential. If there are more, it lists the near pairs, each with
        its own weight, and counts the far ones.
        """
        if config.dropout > 0:
            return cls(every_pair=True, by_pair=True)
        if config.softmax:
            few = supported <= MOST_PAIRS * near
            return cls(every_pair=few, by_pair=not few)
        return cls(every_pair=False, by_pair=False)


def lay_out(bank: Bank, listing: PairLayout) -> Compact:
    """The lists that the fast engine reads of a bank."""
    return compact(bank.enumerated() if listing.every_pair else bank, listing.by_pair)


def engine_data(
    engine: str,
    config: ModelConfig,
    graphs: GraphSet,
    bank: Bank,
    device: torch.device,
    layout: Callable[[Bank, PairLayout], Compact] = lay_out,
) -> DeviceData | FastData:
    """Put the graphs and their bank on ``device`` as the engine reads them.

    The result collates the engine's batches. ``engine``: ``reference`` or ``fast``. ``layout``:
    what lays the bank out for the fast engine, or gives what was laid out before.
    """
    if engine == "reference":
        return DeviceData.build(graphs, bank, device)
    listing = PairLayout.of(config, len(bank.target), bank.supported)
    lists = layout(bank, listing)
    return FastData.build(graphs, bank.rows, lists, device, listing.by_pair)
