"""Dropout on the GPU, in Triton: keys, noise and product in one kernel.

Legend: R replicates, L entries of a replicate, n entries of all, d channels.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from pdf_search.kernels.structures import Draws

ROWS = 32  # entries that one program takes
CHANNELS = 32  # channels that it takes


def dropped(x: Tensor, draws: Draws, rate: float) -> Tensor:
    """See ``reference``."""
    x, keys = x.contiguous(), draws.keys.contiguous()
    out = torch.empty_like(x)
    length, width = x.shape[-2:]
    lists, tiles = len(keys) if draws.replicate is None else 1, triton.cdiv(length, ROWS)
    first, second = (draws.indices * 2)[:2]
    owner = first if draws.replicate is None else draws.replicate
    if lists * tiles:
        _kernel[(lists * tiles, triton.cdiv(width, CHANNELS))](
            x, out, keys, first, second, owner, tiles, length, width, draws.place,
            *_steps(first), *_steps(second), owner.stride(-1), rate, 1 / (1 - rate),
            TWO=len(draws.indices) > 1, OWNED=draws.replicate is not None,
            ROWS=ROWS, WIDTH=CHANNELS,
        )  # fmt: skip
    return out


def _steps(index: Tensor) -> tuple[int, int]:
    """The strides between the replicates and between the entries, which may be expanded."""
    return index.stride(0) if index.dim() > 1 else 0, index.stride(-1)


# Not specialised by place: one kernel for all layers.
@triton.jit(do_not_specialize=["place"])  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917
    x, out, keys, first, second, owner, tiles, length, width, place,
    first_row, first_step, second_row, second_step, owner_step, limit, factor,
    TWO: tl.constexpr, OWNED: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0).to(tl.int64)  # every offset counts in 64 bits
    row, entry = program // tiles, program % tiles * ROWS + tl.arange(0, ROWS)
    d = tl.program_id(1).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    present = entry < length
    if OWNED:
        replicate = tl.load(owner + entry * owner_step, mask=present, other=0).to(tl.int64)
        key = tl.load(keys + replicate, mask=present, other=0).to(tl.uint32)
    else:
        key = tl.load(keys + row).to(tl.uint32) + tl.zeros([ROWS], tl.uint32)
    key = _fold_in(key, _mixed_value(place.to(tl.uint32)))
    value = tl.load(first + row * first_row + entry * first_step, mask=present, other=0)
    key = _fold_in(key, _mixed_value(value.to(tl.uint32)))
    if TWO:
        value = tl.load(second + row * second_row + entry * second_step, mask=present, other=0)
        key = _fold_in(key, _mixed_value(value.to(tl.uint32)))
    bits = _mix_bits(_mixed_key(key)[:, None] ^ _mixed_value(d.to(tl.uint32))[None, :])
    number = (_mix_bits(bits) >> 8).to(tl.int32).to(tl.float32) * 5.9604644775390625e-08  # 2^-24
    inside = present[:, None] & (d < width)[None, :]
    at = (row * length + entry)[:, None] * width + d[None, :]
    value = tl.load(x + at, mask=inside, other=0.0)
    tl.store(out + at, value * tl.where(number >= limit, factor, 0.0), mask=inside)


@triton.jit
def _mix_bits(x):  # type: ignore[no-untyped-def]
    x = x ^ (x >> 16)
    x = x * 0x7FEB352D
    x = x ^ (x >> 15)
    x = x * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit
def _mixed_key(key):  # type: ignore[no-untyped-def]
    return _mix_bits(key ^ 0x9E3779B9)


@triton.jit
def _mixed_value(value):  # type: ignore[no-untyped-def]
    return _mix_bits(value + 0x7F4A7C15)


@triton.jit
def _fold_in(key, mixed):  # type: ignore[no-untyped-def]
    return _mix_bits(_mixed_key(key) ^ mixed)
