"""PDF's filter and convolution as PyG modules, on the kernels of the fast engine.

Legend: N nodes, E edges, T edge types, d channels, m bases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from pdf_search.config import ModelConfig
from pdf_search.errors import ConfigError, DataError
from pdf_search.model import Dropout, FastConvolution, Filter, Linear
from pdf_search.nn.arguments import check_precision, check_states, instance, one_of, truth, whole
from pdf_search.nn.pairs import FIRST, PDFPairs

Kind = Literal["lin", "1l", "2l"]
Activation = Literal["gelu", "relu"]
FILTER_SETTINGS = {"kind", "shared", "norm", "softmax"}


class PDFFilter(nn.Module):
    """The filter f, from basis rows to a weight for each channel. Layers may share one.

    Parameters have a leading dimension of 1, that of replicates.
    """

    def __init__(
        self,
        channels: int,
        bases: int,
        kind: Kind = "2l",
        shared: bool = False,
        norm: bool = False,
        softmax: bool = False,
    ) -> None:
        """Build the filter.

        Args:
            channels: d, the number of channels of the layers.
            bases: m, ``PDFBases.size``.
            kind: ``lin`` an affine map; ``1l``, ``2l`` one or two times (linear, [norm], GELU).
            shared: One weight for all channels.
            norm: BatchNorm, over all pairs of a batch.
            softmax: Normalise the weights over the incoming pairs of each node.

        Raises:
            ConfigError: an argument is outside its range.
        """
        super().__init__()
        one_of("kind", kind, get_args(Kind))
        self.bases = whole("bases", bases)
        self.config = ModelConfig(
            hidden=whole("channels", channels),
            layers=1,
            filter=kind,
            channels="shd" if truth("shared", shared) else "idp",
            filter_norm=truth("norm", norm),
            softmax=truth("softmax", softmax),
        )
        self.f = Filter(self.config, bases, [_generator()])

    def forward(self, pairs: PDFPairs, activation: Activation = "gelu") -> Weights:
        """The weights of all pairs, for ``PDFConv.convolve``; messages have the ``activation``.

        Raises:
            DataError: ``pairs`` are none, have other bases, or are laid out for a filter without
                softmax.
        """
        one_of("activation", activation, get_args(Activation))
        instance("pairs", pairs, PDFPairs, "what PDFPairs.of returns")
        check_precision(next(self.parameters()))
        if (given := pairs.rows.shape[1]) != self.bases:
            raise DataError(
                f"bases are {given} a pair, the filter was built for {self.bases}: give it the "
                "size of the transform that made them, PDFBases.size"
            )
        if self.config.softmax and not pairs.softmax:
            raise DataError(
                "the filter has a softmax, pairs are laid out without: PDFPairs.of(..., "
                "softmax=True)"
            )
        config = self.config.model_copy(update={"activation": activation})
        made = FastConvolution(self.f, pairs.batch, pairs.rows, config, Dropout(0.0, None))
        return Weights(made, pairs, self.f.width)


class Weights:
    """The weights of all pairs of a batch, ``width`` for each pair."""

    def __init__(self, convolution: FastConvolution, pairs: PDFPairs, width: int) -> None:
        self.convolution = convolution
        self.pairs = pairs
        self.width = width


class PDFConv(nn.Module):
    """out[v] = sum over pairs (v, u) of f(b[v, u]) * act(W (x[u] + e[t(v, u)]) + c).

    A pair's type t is that of its edge; pairs that are no edge, and those of a node with itself,
    have types of their own. Without edge types e is absent. Output, gradients and kernels are those
    of ``pdf_search``'s networks.

    >>> conv = PDFConv(64, transform.size, edge_types=4)
    >>> x = x + conv(x, data.edge_index, data.edge_type, data.batch, data.bases)
    """

    def __init__(
        self,
        channels: int,
        bases: int,
        edge_types: int | nn.Embedding = 0,
        *,
        filter: PDFFilter | None = None,
        activation: Activation = "gelu",
        **of_filter: Any,
    ) -> None:
        """Build the layer.

        Args:
            channels: d, of the node states that come in and go out.
            bases: m, ``PDFBases.size``.
            edge_types: T, how many types edges have; or an embedding [T + 2, d] that layers share.
            filter: One to be shared with other layers; by default its own.
            activation: Of messages.
            of_filter: ``kind``, ``shared``, ``norm``, ``softmax`` of its own filter.

        Raises:
            ConfigError: an argument is outside its range, a filter is given together with settings
                of one, or a shared part is for other channels or bases.
            TypeError: there is no such argument.
        """
        super().__init__()
        if unknown := set(of_filter) - FILTER_SETTINGS:
            raise TypeError(
                f"PDFConv has no argument {', '.join(sorted(unknown))}; of its filter it takes "
                f"{', '.join(sorted(FILTER_SETTINGS))}"
            )
        if filter is not None and of_filter:
            raise ConfigError(f"{', '.join(of_filter)} would be of its own filter: one is given")
        if filter is not None and not isinstance(filter, PDFFilter):
            raise ConfigError(f"filter: {filter!r} does not fit: give a PDFFilter, or None")
        one_of("activation", activation, get_args(Activation))
        self.filter = filter or PDFFilter(channels, bases, **of_filter)
        if self.filter.f.width not in (1, channels) or self.filter.bases != bases:
            raise ConfigError(
                f"filter was built for {self.filter.config.hidden} channels and "
                f"{self.filter.bases} bases, the layer for {channels} and {bases}: give both the "
                "same"
            )
        self.activation = activation
        self.channels = channels
        self.pre = Linear(channels, channels, [_generator()])
        self.edges = _embedding(edge_types, channels)

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor,
        edge_type: Tensor | None = None,
        batch: Tensor | None = None,
        bases: Mapping[str, Tensor] | None = None,
    ) -> Tensor:
        """Convolve ``x`` [N, d]; the other arguments are those of ``PDFPairs.of``.

        Where several layers follow each other, ``PDFPairs.of``, ``PDFFilter`` and ``convolve`` do
        once what they have in common.

        Raises:
            DataError: ``bases`` is missing, or the parts do not belong together.
        """
        if bases is None:
            raise DataError("bases is missing: give data.bases, which the transform PDFBases adds")
        softmax = self.filter.config.softmax
        pairs = PDFPairs.of(edge_index, edge_type, batch, bases, softmax)
        return self.convolve(x, self.filter(pairs, self.activation))

    def convolve(self, x: Tensor, weights: Weights) -> Tensor:
        """Convolve ``x`` [N, d] with the weights that a filter gives; returns [N, d].

        Raises:
            DataError: ``x`` is not float32, has another number of nodes or channels, edges have
                types and the layer none, or the weights are of a filter for other channels.
        """
        instance("weights", weights, Weights, "what a PDFFilter returns for pairs")
        if weights.width not in (1, self.channels):
            raise DataError(
                f"the filter was built for {weights.width} channels, the layer for "
                f"{self.channels}: give both the same"
            )
        pairs = weights.pairs
        check_precision(self.pre.weight)
        check_states(x, pairs.nodes, self.channels)
        if bool(pairs.types) != (self.edges is not None):
            there, here = ("have", "none") if pairs.types else ("have no", "some")
            raise DataError(f"edges {there} types, the layer was built for {here}: edge_types")
        if self.edges is not None and pairs.types > self.edges.num_embeddings:
            raise DataError(
                f"edge_type goes to {pairs.types - FIRST - 1}, the layer was built for edge types "
                f"below {self.edges.num_embeddings - FIRST}"
            )
        e = None if self.edges is None else self.edges.weight[None]
        out: Tensor = weights.convolution(x[None], e, self.pre)[0]
        return out


def _embedding(edge_types: int | nn.Embedding, channels: int) -> nn.Embedding | None:
    """The embedding of edge types, which may be given; None where edges have none."""
    if not isinstance(edge_types, nn.Embedding):
        count = whole("edge_types", edge_types, least=0)
        return nn.Embedding(count + FIRST, channels) if count else None
    if edge_types.embedding_dim != channels:
        raise ConfigError(
            f"edge_types is an embedding of {edge_types.embedding_dim} channels, the layer is for "
            f"{channels}: give both the same"
        )
    return edge_types


def _generator() -> torch.Generator:
    """A generator for initial values that follows ``torch.manual_seed``."""
    return torch.Generator().manual_seed(int(torch.randint(2**62, ())))
