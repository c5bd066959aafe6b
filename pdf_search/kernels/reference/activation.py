"""The activations and their gradients in plain torch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def activated(x: Tensor, act: str | None) -> Tensor:
    """Apply the activation, "relu" or "gelu"; None leaves ``x`` as it is."""
    if act is None:
        return x
    return functional.gelu(x) if act == "gelu" else x.relu()


def before_activation(grad: Tensor, x: Tensor, act: str | None) -> Tensor:
    """The gradient for ``x``, given ``grad`` for act(x)."""
    if act is None:
        return grad
    if act == "relu":
        return torch.where(x > 0, grad, 0.0)
    out: Tensor = torch.ops.aten.gelu_backward(grad, x)
    return out
