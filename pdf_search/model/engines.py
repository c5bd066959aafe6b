"""The two engines: the same numbers, from the reference pair by pair, or with far less work."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch

from pdf_search.config import ModelConfig
from pdf_search.graphs.bank import Bank
from pdf_search.graphs.batch import Batch, DeviceData
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model.fast_batch import FastBatch, FastData
from pdf_search.model.network import PDFNetwork

if TYPE_CHECKING:  # it needs torch_geometric, which takes seconds to import
    from pdf_search.model.gin import GINBatch, GINData, GINNetwork

EngineData: TypeAlias = "DeviceData | FastData | GINData"
EngineBatch: TypeAlias = "Batch | FastBatch | GINBatch"
Network: TypeAlias = "PDFNetwork | GINNetwork"


def engine_data(
    engine: str, config: ModelConfig, graphs: GraphSet, bank: Bank, device: torch.device
) -> DeviceData | FastData:
    """The graphs and their bank as ``reference`` or ``fast`` reads them; it makes the batches."""
    if engine == "reference":
        return DeviceData.build(graphs, bank, device)
    # Dropout on the filter draws for each pair, far ones too: then all pairs are near.
    bank = bank.enumerated() if config.dropout > 0 else bank
    by_pair = config.softmax or config.dropout > 0
    return FastData.build(graphs, bank, device, by_pair)
