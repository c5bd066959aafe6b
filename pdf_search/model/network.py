"""The PDF network: encoders, one filter for all layers, PDF layers, readout, head.

Legend: R replicates, B graph slots, N nodes, P pairs, d channels, m bases, T edge types.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from pdf_search.config import InputShape, ModelConfig, NoInput
from pdf_search.graphs import Batch
from pdf_search.model.fast import FastConvolution
from pdf_search.model.fast_batch import FastBatch
from pdf_search.model.filters import Filter
from pdf_search.model.layers import BatchNorm, Linear, activation, block, encoder
from pdf_search.model.randomness import HEAD, LAYER, Dropout, Noise, replicate_keys
from pdf_search.model.readout import readout
from pdf_search.model.reference import ReferenceConvolution
from pdf_search.records import Replicate

Convolution = ReferenceConvolution | FastConvolution


class FeedForward(nn.Module):
    """The post-transform of a layer: (linear, [BatchNorm], activation) twice."""

    def __init__(self, config: ModelConfig, generators: list[torch.Generator]) -> None:
        super().__init__()
        d = config.hidden
        self.activation = config.ffn_activation
        self.linears = nn.ModuleList(Linear(d, d, generators) for _ in range(2))
        norms = 2 if config.ffn_norm else 0
        self.norms = nn.ModuleList(BatchNorm(d, len(generators)) for _ in range(norms))

    def forward(self, x: Tensor, mask: Tensor, fused: bool = False) -> Tensor:
        """Transform ``x`` [R, N, d]; ``mask`` [R, N, 1] is 1 for nodes and 0 for padding."""
        for depth, linear in enumerate(self.linears):
            norm = self.norms[depth] if self.norms else None
            x = block(linear, norm, self.activation, x, mask, fused)
        return x


class Layer(nn.Module):
    """The parameters of one PDF layer: pre-transform (W, c) and post-transform."""

    def __init__(self, config: ModelConfig, generators: list[torch.Generator]) -> None:
        super().__init__()
        self.pre = Linear(config.hidden, config.hidden, generators)
        self.ffn = FeedForward(config, generators)


class PDFNetwork(nn.Module):
    """R PDF networks, one per replicate, computed together.

    Node states start as x = encoder(nodes). Each layer first adds y to x, where y[v] is the sum
    over pairs (v, u) of f(b[v, u]) * act(W (x[u] + e[t(v, u)]) + c), and then adds ffn(x).
    Readout and head follow.
    """

    def __init__(
        self,
        config: ModelConfig,
        shape: InputShape,
        bases: int,
        replicates: Sequence[Replicate] = (Replicate(0),),
    ) -> None:
        """Build the networks, each initialised from its replicate's own seed.

        ``bases``: m, the number of bases with the identity.
        """
        super().__init__()
        self.config = config
        generators = [_generator(replicate) for replicate in replicates]
        d = config.hidden
        self.nodes = encoder(shape.nodes, d, generators)
        self.edges = (
            None if isinstance(shape.edges, NoInput) else encoder(shape.edges, d, generators)
        )
        self.filter = Filter(config, bases, generators)
        self.layers = nn.ModuleList(Layer(config, generators) for _ in range(config.layers))
        self.hidden_head = Linear(d, d, generators) if config.head == "mlp" else None
        self.head = Linear(d, shape.outputs, generators)

    def forward(
        self,
        batch: Batch | FastBatch,
        rows: Tensor,
        edge_types: Tensor,
        noise: Noise | None = None,
        states: list[Tensor] | None = None,
    ) -> Tensor:
        """Outputs [R, B, outputs] of a batch, whose type decides which engine computes.

        ``rows`` [U, m] and ``edge_types`` [T, C] are those of the data set. ``noise``: required in
        training with dropout. ``states``: a list to which the node states [R, N, d] after the
        encoder and after each layer are appended.
        """
        assert noise is not None or not self.training or self.config.dropout == 0
        dropout = Dropout(self.config.dropout, noise if self.training else None)
        fused = isinstance(batch, FastBatch)
        if isinstance(batch, FastBatch):
            convolution: Convolution = FastConvolution(
                self.filter, batch, rows, self.config, dropout
            )
        else:
            convolution = ReferenceConvolution(self.filter, batch, rows, self.config, dropout)
        x = self.nodes(batch.nodes, fused) * batch.node_mask
        e = None if self.edges is None else self.edges(edge_types, fused)
        node = torch.arange(x.shape[1], device=x.device).expand(x.shape[:2])
        for depth, layer in enumerate(self.layers):
            assert isinstance(layer, Layer)
            if states is not None:
                states.append(x)
            x = x + dropout(convolution(x, e, layer.pre), LAYER + 2 * depth, node)
            x = x + dropout(layer.ffn(x, batch.node_mask, fused), LAYER + 2 * depth + 1, node)
        if states is not None:
            states.append(x)
        pooled = readout(self.config.readout, x, batch.node_slot, batch.node_count)
        return self._head(pooled, dropout)

    def _head(self, pooled: Tensor, dropout: Dropout) -> Tensor:
        if self.hidden_head is not None:
            pooled = activation(self.config.ffn_activation, self.hidden_head(pooled))
            slot = torch.arange(pooled.shape[1], device=pooled.device).expand(pooled.shape[:2])
            pooled = dropout(pooled, HEAD, slot)
        out: Tensor = self.head(pooled)
        return out


def _generator(replicate: Replicate) -> torch.Generator:
    """Random generator for the initialisation of a replicate, from its seed and fold.

    It draws on the CPU, so that all devices start from the same parameters.
    """
    key = replicate_keys([replicate])
    return torch.Generator().manual_seed(int(key.item()))
