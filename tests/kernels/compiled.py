"""Run by ``test_gpu`` in a process of its own: compiles every Triton kernel for an H100.

No GPU is needed for that; it finds what the interpreter forgives.
"""

from __future__ import annotations

import inspect
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from pdf_search.kernels.triton import adamw, batch_norm, messages, segment_product

TARGET = GPUTarget("cuda", 90, 32)
INTEGERS = {"channels", "width", "length", "runs", "slots", "types", "shift_step"} | {
    "beta_step",
    "gamma_step",
}
WIDE = {"node", "kind", "nodes"}  # int64 index arrays; of messages, ptr too
NARROW = {"first", "second", "target", "begin", "end", "ptr", "active"}


def signature(kernel: Any, fixed: dict[str, Any], wide: set[str]) -> dict[str, str]:
    def kind(name: str) -> str:
        if name in fixed:
            return "constexpr"
        if name in INTEGERS:
            return "i32"
        if name in ("momentum", "eps", "decay"):
            return "fp32"
        if name in wide:
            return "*i64"
        return "*i32" if name in NARROW else "*fp32"

    return {name: kind(name) for name in inspect.signature(kernel.fn).parameters}


def build(kernel: Any, wide: set[str] = frozenset(), warps: int = 4, **fixed: Any) -> None:  # type: ignore[assignment]
    source = ASTSource(kernel, signature(kernel, fixed, wide), constexprs=fixed)
    binary = triton.compile(source, target=TARGET, options={"num_warps": warps})
    assert binary.asm["ptx"]
    print(kernel.fn.__name__, fixed, binary.metadata.shared, "bytes shared")


def main() -> None:
    tile = {"ROWS": segment_product.ROWS, "WIDTH": segment_product.CHANNELS}
    product, warps = segment_product._kernel, segment_product.WARPS
    for shared in (False, True):
        build(product, warps=warps, SHARED=shared, DOT=False, **tile)
    dot = tile | {"WIDTH": 256}
    build(product, warps=warps, SHARED=False, DOT=True, **dot)
    build(segment_product._join_kernel, warps=warps, WIDTH=segment_product.CHANNELS)
    tile = {"ROWS": batch_norm.ROWS, "WIDTH": batch_norm.CHANNELS}
    for kernel in (batch_norm._runs, batch_norm._statistics, batch_norm._sums, batch_norm._shared):
        build(kernel, **tile)
    for act, gelu in ((False, False), (True, False), (True, True)):
        for kernel in (batch_norm._forward, batch_norm._slopes):
            build(kernel, ACT=act, GELU=gelu, **tile)
    tile = {"ROWS": messages.ROWS, "WIDTH": messages.CHANNELS}
    wide = WIDE | {"ptr"}
    build(messages._forward, wide, GELU=True, **tile)
    for types in (16, 64):
        build(messages._backward, wide, GELU=True, TYPES=types, **tile)
    build(adamw._kernel, beta1=0.9, beta2=0.999, eps=1e-8, SPAN=adamw.SPAN)
    print("all compiled")


if __name__ == "__main__":
    main()
