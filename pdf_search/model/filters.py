"""The filter f, which maps a basis row to one weight per channel (paper, section 3.3)."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from pdf_search.config import ModelConfig
from pdf_search.model.layers import BatchNorm, Linear, block


class Filter(nn.Module):
    """The filter f: basis rows [R, L, m] to weights [R, L, d], or [R, L, 1] with shared channels.

    ``lin``: an affine map. ``1l``, ``2l``: one or two times (linear, [BatchNorm], GELU). ``fixed``:
    a linear map with the coefficients of the configuration. ``filter_bias: false`` removes the bias
    of each linear map.
    """

    def __init__(self, config: ModelConfig, bases: int, generators: list[torch.Generator]) -> None:
        super().__init__()
        self.activate = config.filter in ("1l", "2l")
        self.width = config.hidden if config.channels == "idp" else 1
        widths = (
            [bases, config.hidden, self.width] if config.filter == "2l" else [bases, self.width]
        )
        self.linears = nn.ModuleList()
        self.norms = nn.ModuleList()
        for inputs, outputs in pairwise(widths):
            linear = Linear(inputs, outputs, generators)
            if not config.filter_bias or config.coefficients is not None:
                _hold(linear, "bias", torch.zeros_like(linear.bias))
            if config.coefficients is not None:
                column = torch.tensor(config.coefficients)[:, None]
                _hold(linear, "weight", column.repeat(len(generators), 1, 1))
            self.linears.append(linear)
            if config.filter_norm:
                self.norms.append(BatchNorm(outputs, len(generators)))

    def forward(self, rows: Tensor, weight: Tensor, fused: bool = False) -> Tensor:
        """Compute f at ``rows`` [R, L, m], or [L, m] for all replicates.

        ``weight`` [R, L, 1]: how many pairs have the row, which is how often BatchNorm counts it.
        ``fused``: use fused kernels where they exist.
        """
        x = rows.expand(weight.shape[0], *rows.shape[-2:])
        act = "gelu" if self.activate else None
        for depth, linear in enumerate(self.linears):
            x = block(linear, self.norms[depth] if self.norms else None, act, x, weight, fused)
        return x


def _hold(linear: Linear, name: str, value: Tensor) -> None:
    """Replace a parameter by a constant buffer of the same name."""
    delattr(linear, name)
    linear.register_buffer(name, value.detach())
