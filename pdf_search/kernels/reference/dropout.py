"""Dropout in plain torch.

Legend: R replicates, L entries, d channels.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdf_search.kernels.noise import fold_in, uniform
from pdf_search.kernels.structures import Draws


def dropped(x: Tensor, draws: Draws, rate: float) -> Tensor:
    """Multiply ``x`` [R, L, d], or [L, d], by its dropout factors: 0 or 1 / (1 - rate).

    An entry's key is made of its replicate's key, the place and its index; a factor is drawn with
    the entry's key and the channel.
    """
    keys = fold_in(draws.keys, draws.place)
    keys = keys[:, None] if draws.replicate is None else keys[draws.replicate]
    for values in draws.indices:
        keys = fold_in(keys, values)
    channel = torch.arange(x.shape[-1], device=x.device)
    kept = uniform(fold_in(keys[..., None], channel)) >= rate
    return x * (kept.float() * (1 / (1 - rate)))
