"""The two engines: the same numbers, from the reference pair by pair, or with far less work."""

from __future__ import annotations

import torch

from pdf_search.config import ModelConfig
from pdf_search.graphs.bank import Bank
from pdf_search.graphs.batch import DeviceData
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model.fast_batch import FastData

EngineData = DeviceData | FastData


def engine_data(
    engine: str, config: ModelConfig, graphs: GraphSet, bank: Bank, device: torch.device
) -> EngineData:
    """The graphs and their bank as ``reference`` or ``fast`` reads them; it makes the batches."""
    if engine == "reference":
        return DeviceData.build(graphs, bank, device)
    # Dropout on the filter draws for each pair, far ones too: then all pairs are near.
    bank = bank.enumerated() if config.dropout > 0 else bank
    by_pair = config.softmax or config.dropout > 0
    return FastData.build(graphs, bank, device, by_pair)
