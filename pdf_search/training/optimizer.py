"""AdamW over parameters with a leading replicate dimension, in one flat tensor.

torch's AdamW keeps one step count for all replicates. Folds differ by a graph, so one replicate can
have a batch where another has none. Here each replicate counts its own steps, and one without a
batch is left unchanged, as it would be if it trained by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from pdf_search.kernels import BETA1, BETA2, adamw


class AdamW:
    """AdamW with decoupled weight decay (Loshchilov & Hutter 2019) and torch's default constants.

    The parameters become views of one tensor [R, S], with S parameters of each replicate. So a step
    takes a few operations, whatever the number of layers.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], weight_decay: float) -> None:
        self.weight_decay = weight_decay
        self.parameters = list(parameters)
        self.values = torch.cat([p.detach().flatten(1) for p in self.parameters], 1)
        start = 0
        for p in self.parameters:
            stop = start + p[0].numel()
            p.data = self.values[:, start:stop].view(p.shape)
            start = stop
        self.steps = self.values.new_zeros(len(self.values), 1)
        self.mean = torch.zeros_like(self.values)
        self.square = torch.zeros_like(self.values)

    @torch.no_grad()
    def step(self, rate: float | Tensor, active: Tensor) -> None:
        """Update the replicates that are active, bool [R], and clear all gradients."""
        grad = self._take_gradients()
        self.steps += active[:, None]
        corrections = 1 - BETA1**self.steps, 1 - BETA2**self.steps
        state = self.values, self.mean, self.square
        adamw(grad, state, corrections, active, rate, self.weight_decay)

    def _take_gradients(self) -> Tensor:
        """Return all gradients, [R, S], and clear them; an unused parameter has the gradient 0."""
        parts = [p.new_zeros(p.shape) if p.grad is None else p.grad for p in self.parameters]
        for p in self.parameters:
            p.grad = None
        return torch.cat([part.flatten(1) for part in parts], 1)

    def state_dict(self) -> dict[str, Tensor]:
        """Step counts and moments; the values are in the model's state."""
        return {"steps": self.steps, "mean": self.mean, "square": self.square}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Copy a state that ``state_dict`` returned into this optimizer."""
        for name, own in self.state_dict().items():
            own.copy_(state[name])
