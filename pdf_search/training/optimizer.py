"""AdamW over parameters with a leading replicate dimension, in one flat tensor.

torch's AdamW keeps one step count for all replicates. Folds differ by a graph, so one replicate can
have a batch where another has none. Here each replicate counts its own steps, and one without a
batch is left unchanged, as it would be if it trained by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from pdf_search.kernels import BETA1, BETA2, adamw

# Each parameter of each replicate begins at a multiple of so many numbers: 128 bytes, one read of a
# GPU. Where matrices begin elsewhere, its libraries fall back to slow products.
ALIGNED = 32


class AdamW:
    """AdamW with decoupled weight decay (Loshchilov & Hutter 2019) and torch's default constants.

    The parameters become views of one tensor [R, S], with the parameters of each replicate and
    zeros between them, which stay zero. So a step takes a few operations, whatever the number of
    layers.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], weight_decay: float) -> None:
        self.weight_decay = weight_decay
        self.parameters = list(parameters)
        nothing = self.parameters[0].new_zeros(len(self.parameters[0]), ALIGNED).detach()
        self.gaps = [nothing[:, : -p[0].numel() % ALIGNED] for p in self.parameters]
        self.values = self._flat([p.detach() for p in self.parameters])
        for p, view in zip(self.parameters, self._views(self.values), strict=True):
            p.data = view.view(p.shape)
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
        grads = [p.new_zeros(p.shape) if p.grad is None else p.grad for p in self.parameters]
        for p in self.parameters:
            p.grad = None
        return self._flat(grads)

    def _flat(self, tensors: Sequence[Tensor]) -> Tensor:
        """Put tensors [R, ...], one of each parameter, where the parameters lie in ``values``."""
        parts: list[Tensor] = []
        for tensor, gap in zip(tensors, self.gaps, strict=True):
            parts += [tensor.flatten(1), gap] if gap.shape[1] else [tensor.flatten(1)]
        return torch.cat(parts, 1)

    def _views(self, flat: Tensor) -> list[Tensor]:
        """The parts of a tensor laid out as ``values``, [R, n] for each parameter."""
        sizes = [p[0].numel() for p in self.parameters]
        gaps = [gap.shape[1] for gap in self.gaps]
        both = [size for pair in zip(sizes, gaps, strict=True) for size in pair]
        return list(torch.split(flat, both, 1)[::2])

    def state_dict(self) -> dict[str, Tensor]:
        """Step counts and moments, without the zeros; the values are in the model's state."""
        moments = {"mean": self.mean, "square": self.square}
        together = {name: torch.cat(self._views(flat), 1) for name, flat in moments.items()}
        return {"steps": self.steps, **together}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Copy a state that ``state_dict`` returned into this optimizer."""
        self.steps.copy_(state["steps"])
        for name in ("mean", "square"):
            own = self._views(getattr(self, name))
            saved = torch.split(state[name], [view.shape[1] for view in own], 1)
            for view, values in zip(own, saved, strict=True):
                view.copy_(values)
