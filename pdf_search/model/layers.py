"""Layers whose parameters carry a leading replicate dimension; replicates never mix.

Legend: R replicates, L entries (nodes, pairs or graphs), d channels.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from pdf_search.config import CategoricalInput, LinearInput
from pdf_search.kernels import has_fused_kernels, linear, normed_linear
from pdf_search.model.segments import index_select

NORM_EPS = 1e-5
NORM_MOMENTUM = 0.1


class Linear(nn.Module):
    """y = x W + c for each replicate; W [R, inputs, outputs], c [R, 1, outputs]."""

    def __init__(self, inputs: int, outputs: int, generators: list[torch.Generator]) -> None:
        super().__init__()
        bound = 1 / math.sqrt(inputs)
        self.weight = nn.Parameter(_uniform((inputs, outputs), bound, generators))
        self.bias = nn.Parameter(_uniform((1, outputs), bound, generators))

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layer to ``x`` [R, L, inputs]; returns [R, L, outputs]."""
        return torch.baddbmm(self.bias, x, self.weight)


class BatchNorm(nn.Module):
    """Batch normalisation over the entries of each replicate.

    An entry of weight w counts w times: a basis row shared by w pairs, or 0 for padding. A
    replicate whose weights sum to at most 1 is normalised with its running statistics, which stay
    unchanged.
    """

    running_mean: Tensor
    running_var: Tensor
    eps = NORM_EPS
    momentum = NORM_MOMENTUM

    def __init__(self, channels: int, replicates: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(replicates, 1, channels))
        self.bias = nn.Parameter(torch.zeros(replicates, 1, channels))
        self.register_buffer("running_mean", torch.zeros(replicates, 1, channels))
        self.register_buffer("running_var", torch.ones(replicates, 1, channels))

    def forward(self, x: Tensor, weight: Tensor) -> Tensor:
        """Normalise ``x`` [R, L, d], whose entries count ``weight`` [R, L, 1] times."""
        if not self.training:
            mean, var = self.running_mean, self.running_var
        else:
            count = weight.sum(1, keepdim=True)
            mean = (x * weight).sum(1, keepdim=True) / count.clamp(min=1)
            var = ((x - mean).square() * weight).sum(1, keepdim=True) / count.clamp(min=1)
            self._update(mean.detach(), var.detach(), count)
            mean = torch.where(count > 1, mean, self.running_mean)
            var = torch.where(count > 1, var, self.running_var)
        return (x - mean) * (torch.rsqrt(var + NORM_EPS) * self.weight) + self.bias

    @torch.no_grad()
    def _update(self, mean: Tensor, var: Tensor, count: Tensor) -> None:
        """Update the running statistics; the running variance is the unbiased one."""
        rate = (NORM_MOMENTUM * (count > 1).to(mean.dtype)).expand_as(mean)
        self.running_mean.lerp_(mean, rate)
        self.running_var.lerp_(var * count / (count - 1).clamp(min=1), rate)


def block(
    layer: nn.Module,
    norm: nn.Module | None,
    act: str | None,
    x: Tensor,
    weight: Tensor,
    fused: bool,
) -> Tensor:
    """Compute act(norm(layer(x))) for entries ``x`` [R, L, d].

    ``weight`` [R, L, 1]: how often each entry counts in BatchNorm. ``fused``: use fused kernels
    where they exist for ``x``.
    """
    if not (fused and has_fused_kernels(x)):
        x = layer(x) if norm is None else norm(layer(x), weight)
        return x if act is None else activation(act, x)
    assert isinstance(layer, Linear)
    if norm is None:
        return linear(x, layer.weight, layer.bias, act)
    assert isinstance(norm, BatchNorm)
    return normed_linear(x, layer.weight, layer.bias, weight, norm, norm.training, act)


class Embedding(nn.Module):
    """The sum of one embedding table [R, size, d] per integer column.

    With ``frozen_zero`` row 0 of each table gets no gradient.
    """

    def __init__(
        self, spec: CategoricalInput, channels: int, generators: list[torch.Generator]
    ) -> None:
        super().__init__()
        self.frozen_zero = spec.frozen_zero
        make = _normal if spec.init == "normal" else _xavier
        self.tables = nn.ParameterList(
            nn.Parameter(make((size, channels), generators)) for size in spec.sizes
        )
        rows = torch.tensor([0, *spec.sizes]).cumsum(0)
        self.starts, self.size = rows[:-1], int(rows[-1])  # of the tables in one, on the CPU
        self.first_rows = torch.zeros(self.size, 1, dtype=torch.bool)
        self.first_rows[self.starts] = True

    def forward(self, codes: Tensor, fused: bool = False) -> Tensor:
        """Embed ``codes`` [R, L, columns], or [L, columns] for all replicates: [R, L, d].

        ``fused``: with all columns in one operation where that is quicker.
        """
        replicates = self.tables[0].shape[0]
        codes = codes.expand(replicates, *codes.shape[-2:])
        if fused and codes.device.type == "cpu" and len(self.tables) > 1:
            return self._in_one(codes)
        out: Tensor | float = 0.0
        for column, table in enumerate(self.tables):
            rows = (
                torch.cat([table[:, :1].detach(), table[:, 1:]], 1) if self.frozen_zero else table
            )
            out = out + index_select(rows, codes[..., column])
        assert isinstance(out, Tensor)
        return out

    def _in_one(self, codes: Tensor) -> Tensor:
        """Embed with all tables as one: on a CPU each small operation costs more than its sums."""
        replicates, length, _ = codes.shape
        table = torch.cat(list(self.tables), 1)  # [R, size, d]
        if self.frozen_zero:
            table = torch.where(self.first_rows, table.detach(), table)
        first = torch.arange(replicates)[:, None, None] * self.size + self.starts
        flat = nn.functional.embedding_bag(
            (codes + first).flatten(0, 1), table.flatten(0, 1), mode="sum"
        )
        return flat.view(replicates, length, table.shape[2])


class Features(Linear):
    """A linear layer for real features [R, L, features], or [L, features] for all replicates."""

    def __init__(self, spec: LinearInput, channels: int, generators: list[torch.Generator]) -> None:
        super().__init__(spec.features, channels, generators)

    def forward(self, x: Tensor, fused: bool = False) -> Tensor:  # noqa: ARG002
        """Apply the layer to ``x``; returns [R, L, d]."""
        return super().forward(x.expand(self.weight.shape[0], *x.shape[-2:]))


def encoder(
    spec: CategoricalInput | LinearInput, channels: int, generators: list[torch.Generator]
) -> Embedding | Features:
    """The encoder of node or edge input, to ``channels`` channels."""
    if isinstance(spec, CategoricalInput):
        return Embedding(spec, channels, generators)
    return Features(spec, channels, generators)


def activation(name: str, x: Tensor) -> Tensor:
    """GELU (exact, with erf) if ``name`` is ``gelu``, else ReLU."""
    return nn.functional.gelu(x) if name == "gelu" else x.relu()


Shape = tuple[int, int]


def _uniform(shape: Shape, bound: float, generators: list[torch.Generator]) -> Tensor:
    return torch.stack([(torch.rand(shape, generator=g) * 2 - 1) * bound for g in generators])


def _normal(shape: Shape, generators: list[torch.Generator]) -> Tensor:
    return torch.stack([torch.randn(shape, generator=g) for g in generators])


def _xavier(shape: Shape, generators: list[torch.Generator]) -> Tensor:
    return _uniform(shape, math.sqrt(6 / sum(shape)), generators)
