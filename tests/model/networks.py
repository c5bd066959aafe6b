"""Models and batches for tests: any configuration on any small graph set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from pdf_search.config import BasisConfig, InputShape, ModelConfig
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.graphs.batch import Batch, DeviceData
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model.engines import engine_data
from pdf_search.model.fast_batch import FastBatch
from pdf_search.model.fast_data import FastData
from pdf_search.model.network import PDFNetwork
from pdf_search.model.randomness import Noise, replicate_keys
from pdf_search.records import Replicate
from tests.graphs.makers import basis, shape_of

CPU = torch.device("cpu")
BASIS = basis(((-0.2, 1), (-0.2, 3), (-0.5, 2)))

ZINC = ModelConfig(hidden=8, layers=2)
OGB = ModelConfig(
    hidden=8, layers=2, filter_norm=True, softmax=True, ffn_activation="relu", readout="max"
)
TU = ModelConfig(hidden=8, layers=2, filter_norm=True, softmax=True, readout="max", head="mlp")
SHARED = ModelConfig(hidden=8, layers=2, filter="lin", channels="shd", softmax=True, readout="sum")
PLAIN = ModelConfig(hidden=8, layers=1, filter="1l", filter_norm=True, ffn_norm=False)
VARIANTS = {"zinc": ZINC, "ogb": OGB, "tu": TU, "shared": SHARED, "plain": PLAIN}


@dataclass
class Setup:
    """A model with the data that it reads."""

    engine: ClassVar[str] = "reference"

    data: DeviceData | FastData
    model: PDFNetwork
    replicates: tuple[Replicate, ...]

    @classmethod
    def of(
        cls,
        config: ModelConfig,
        graphs: GraphSet,
        basis: BasisConfig = BASIS,
        replicates: Sequence[Replicate] = (Replicate(0),),
        shape: InputShape | None = None,
    ) -> Setup:
        data = engine_data(cls.engine, config, graphs, build_bank(graphs, basis), CPU)
        model = PDFNetwork(config, shape or shape_of(graphs), basis.size, replicates)
        return cls(data, model, tuple(replicates))

    def collate(self, lists: Sequence[Sequence[int]]) -> Batch | FastBatch:
        """One list of graph numbers a replicate, padded with -1."""
        rows = [torch.tensor(numbers, dtype=torch.int64) for numbers in lists]
        return self.data.collate(
            torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-1)
        )

    def __call__(self, *lists: Sequence[int], epoch: int = 1, step: int = 0) -> Tensor:
        """Outputs [R, B, outputs] of the replicates' graph lists."""
        noise = Noise(replicate_keys(self.replicates, epoch, step))
        batch = self.collate(lists)
        out: Tensor = self.model(batch, self.data.rows, self.data.edge_types, noise)
        return out

    def evaluate(self, *lists: Sequence[int]) -> Tensor:
        with torch.no_grad():
            self.model.eval()
            return self(*lists)

    def settle(self, seed: int = 0) -> Setup:
        """Running statistics as after training: neither 0 nor 1."""
        generator = torch.Generator().manual_seed(seed)
        for name, buffer in self.model.named_buffers():
            noise = torch.rand(buffer.shape, generator=generator)
            buffer.copy_(noise + 0.5 if name.endswith("var") else noise - 0.5)
        return self


def close(ours: Tensor, theirs: Tensor, tolerance: float = 1e-5) -> None:
    """Within ``tolerance`` of the largest value, or of 1."""
    scale = max(1.0, float(theirs.detach().abs().max()))
    assert float((ours - theirs).detach().abs().max()) <= tolerance * scale
