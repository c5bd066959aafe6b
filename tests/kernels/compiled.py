"""Run by ``test_gpu`` in a process of its own: compiles every Triton kernel for an H100.

No GPU is needed for that; it finds what the interpreter forgives. What the compiler made of a
kernel shows that no offset counts in 32 bits, that nothing is added atomically, and that no value
is spilled from registers into memory. Kernels take the width as an argument, so one serves all.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from pdf_search.kernels.triton import adamw, batch_norm, dropout, messages, segment_product

TARGET = GPUTarget("cuda", 90, 32)
INTEGERS = {
    *("channels", "width", "length", "runs", "slots", "types", "spans", "groups", "chunk"),
    *("span", "pieces", "shift_step", "beta_step", "gamma_step"),
    *("tiles", "place", "first_row", "first_step", "second_row", "second_step", "owner_step"),
}
WIDE = {"node", "kind", "nodes"}  # int64 index arrays; of messages, ptr too
NARROW = {"first", "second", "begin", "end", "ptr", "group", "stop", "active"}
NARROW_OFFSET = re.compile(r"tt\.addptr [^,]*, (?!%c-?\d+_i32).*(?:, i32|xi32>).*")  # no constant
CUOBJDUMP = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"


def signature(
    kernel: Any, fixed: dict[str, Any], wide: frozenset[str], halves: frozenset[str]
) -> dict[str, str]:
    def kind(name: str) -> str:
        if name in fixed:
            return "constexpr"
        if name in INTEGERS:
            return "i32"
        if name in ("momentum", "eps", "decay", "limit", "factor"):
            return "fp32"
        if name in wide:
            return "*i64"
        if name in NARROW:
            return "*i32"
        return "*bf16" if name in halves else "*fp32"

    return {name: kind(name) for name in inspect.signature(kernel.fn).parameters}


def build(
    kernel: Any,
    wide: frozenset[str] = frozenset(),
    warps: int = 4,
    halves: frozenset[str] = frozenset(),
    **fixed: Any,
) -> None:
    """Compile a kernel for any sizes, and for sizes of 1, which Triton compiles apart.

    ``halves``: the names of the tensors that are bfloat16.
    """
    names = inspect.signature(kernel.fn).parameters
    ones = {name: 1 for name in names if name in INTEGERS - {"place"}}
    cubin = check(kernel, wide, warps, halves, fixed)
    assert not spilled(cubin), f"{kernel.fn.__name__} {fixed}: spills"
    if ones:
        check(kernel, wide, warps, halves, fixed | ones)


def check(
    kernel: Any, wide: frozenset[str], warps: int, halves: frozenset[str], fixed: dict[str, Any]
) -> bytes:
    """Compile a kernel and look at its code; returns it assembled."""
    source = ASTSource(kernel, signature(kernel, fixed, wide, halves), constexprs=fixed)
    binary = triton.compile(source, target=TARGET, options={"num_warps": warps})
    name = f"{kernel.fn.__module__.rpartition('.')[2]}.{kernel.fn.__name__} {fixed}"
    code = str(binary.asm["ttir"])
    narrow = NARROW_OFFSET.search(code)
    assert narrow is None, f"{name}: an offset of 32 bits: {narrow.group()}"
    assert "atomic" not in code, f"{name}: atomic"
    print(name, sorted(halves), binary.metadata.shared, "bytes shared", flush=True)
    assembled: bytes = binary.asm["cubin"]
    return assembled


def spilled(cubin: bytes) -> int:
    """The bytes of memory that each thread needs beside its registers."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [CUOBJDUMP, "--dump-resource-usage", file.name]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sum(int(size) for size in re.findall(r"(?:STACK|LOCAL):(\d+)", said))


def segment_products() -> None:
    tile = {"ROWS": segment_product.ROWS, "WIDTH": segment_product.CHANNELS}
    for halves in ("", "ab", "b", "a"):  # in float32; forward; gradients for weights and messages
        for shared, dot in ((False, False), (True, False), (False, True)):
            build(
                segment_product._kernel,
                warps=segment_product.WARPS,
                halves=frozenset(halves),
                SHARED=shared,
                DOT=dot,
                **tile,
            )
    join = {"ROWS": segment_product.PARTIAL, "WIDTH": segment_product.CHANNELS}
    build(segment_product._join_kernel, **join)


def norms() -> None:
    tile = {"ROWS": batch_norm.ROWS, "WIDTH": batch_norm.CHANNELS}
    for kernel in (batch_norm._runs, batch_norm._statistics, batch_norm._sums, batch_norm._shared):
        build(kernel, **tile)
    for act, gelu in ((False, False), (True, False), (True, True)):
        for kernel in (batch_norm._forward, batch_norm._slopes):
            build(kernel, ACT=act, GELU=gelu, **tile)


def message_kernels() -> None:
    tile = {"ROWS": messages.ROWS, "WIDTH": messages.CHANNELS}
    wide = frozenset({*WIDE, "ptr"})
    for gelu in (False, True):
        for many in (False, True):
            for halves in (frozenset[str](), frozenset({"out"})):
                build(messages._forward, wide, halves=halves, GELU=gelu, MANY=many, **tile)
        sizes = range(messages.LEAST_TYPES.bit_length() - 1, messages.MOST_TYPES.bit_length())
        for types in (2**size for size in sizes):
            build(
                messages._backward,
                wide,
                warps=messages.WARPS,
                GELU=gelu,
                TYPES=types,
                **tile,
            )
    build(messages._far_sum, wide, WIDTH=messages.CHANNELS)
    build(messages._type_sums, wide, **tile)


def noise() -> None:
    wide = frozenset({"keys", "first", "second", "owner"})
    tile = {"ROWS": dropout.ROWS, "WIDTH": dropout.CHANNELS}
    for two, owned in ((False, False), (True, False), (True, True)):
        build(dropout._kernel, wide, TWO=two, OWNED=owned, **tile)


def main() -> None:
    segment_products()
    norms()
    message_kernels()
    noise()
    build(adamw._kernel, beta1=0.9, beta2=0.999, eps=1e-8, SPAN=adamw.SPAN)
    print("all compiled")


if __name__ == "__main__":
    main()
