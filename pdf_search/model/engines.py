"""The two engines: the same numbers, from the reference pair by pair, or with far less work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch

from pdf_search.config import ModelConfig
from pdf_search.graphs import Bank, Batch, DeviceData, GraphSet
from pdf_search.model.fast_batch import FastBatch
from pdf_search.model.fast_data import FastData
from pdf_search.model.network import PDFNetwork

if TYPE_CHECKING:  # it needs torch_geometric, which takes seconds to import
    from pdf_search.model.gin import GINBatch, GINData, GINNetwork

EngineData: TypeAlias = "DeviceData | FastData | GINData"
EngineBatch: TypeAlias = "Batch | FastBatch | GINBatch"
Network: TypeAlias = "PDFNetwork | GINNetwork"

MOST_PAIRS = 3  # times the near ones that a softmax lists


def engine_data(
    engine: str, config: ModelConfig, graphs: GraphSet, bank: Bank, device: torch.device
) -> DeviceData | FastData:
    """The graphs and their bank as ``reference`` or ``fast`` reads them; it makes the batches."""
    if engine == "reference":
        return DeviceData.build(graphs, bank, device)
    listing = PairLayout.of(config, len(bank.target), bank.supported)
    bank = bank.enumerated() if listing.every_pair else bank
    return FastData.build(graphs, bank, device, listing.by_pair)


@dataclass(frozen=True)
class PairLayout:
    """What the fast engine lists of a data set."""

    every_pair: bool  # far pairs too
    by_pair: bool  # each pair with a weight of its own; else pairs share the weights of their rows

    @classmethod
    def of(cls, config: ModelConfig, near: int, supported: int) -> PairLayout:
        """``near`` pairs of ``supported`` ones (all pairs of a graph under dense support).

        Dropout on the filter draws for each pair, far ones too. A softmax lists all pairs where
        they are not many more than the near ones, and shares the exponentials of their rows. Where
        far pairs abound it is made pair by pair instead, with far pairs counted.
        """
        if config.dropout > 0:
            return cls(every_pair=True, by_pair=True)
        if config.softmax:
            few = supported <= MOST_PAIRS * near
            return cls(every_pair=few, by_pair=not few)
        return cls(every_pair=False, by_pair=False)
