"""The kernels on random numbers: each case is run by any backend, in its own dtype and place.

Shapes are odd on purpose: widths that fill no tile, groups of none, of just one chunk and of
several, empty graph slots, replicates without an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from gpu_checks.compare import Named
from pdf_search.kernels import Chunks, Draws, GroupedTriples, Messages, build_triples
from pdf_search.kernels.structures import GPU_CHUNK

Put = Callable[[Tensor], Tensor]  # to the backend's device; floats to its dtype
Run = Callable[[Any, Put], Named]


@dataclass(frozen=True)
class Case:
    """``run(backend, put)`` computes on inputs moved by ``put``; ``bad``: put one bad value in."""

    name: str
    run: Run
    inputs: list[Tensor]  # floats, any of whose numbers may be made bad
    limit: float = 1e-5
    rounded: torch.dtype = torch.float32
    activated: int = 0  # inputs, the first ones, whose infinite values may have any slope


def numbers(seed: int) -> Callable[..., Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return lambda *shape: torch.randn(*shape, generator=generator)


def segment_product(shape: tuple[int, ...], dtype: torch.dtype, ahead: int | None = None) -> Case:
    """``shape``: width, width of A, triples, segments, rows of A and of B.

    ``ahead``: chunks made beforehand, with so many too many, as in recorded steps.
    """
    width, own, count, segments, rows_a, rows_b = shape
    generator = torch.Generator().manual_seed(sum(shape))
    sizes = segments, rows_a, rows_b
    segment, a, b = (torch.randint(n, (count,), generator=generator) for n in sizes)
    a[: count // 2] = 0  # one hot row
    triples, draw = build_triples(segment, a, b, sizes), numbers(width)
    inputs = [draw(rows_a, own), draw(rows_b, width), draw(segments, width)]
    inputs = [x.to(dtype).float() for x in inputs]  # both sides begin with the same numbers

    def run(backend: Any, put: Put) -> Named:
        a, b, grad = map(put, inputs)
        by_segment, by_a, by_b = (
            _order(o, put, ahead) for o in (triples.by_segment, triples.by_a, triples.by_b)
        )
        product = backend.grouped_product if own == width else backend.grouped_dot
        return {"out": backend.grouped_product(a, b, by_segment), "grad a": product(grad, b, by_a),
                "grad b": backend.grouped_product(a, grad, by_b)}  # fmt: skip

    how = "" if ahead is None else ", chunks ahead"
    name = f"segment product {width}x{own}, {count} triples{how}, {str(dtype)[6:]}"
    return Case(name, run, inputs, 1e-5 if dtype == torch.float32 else 1e-2, dtype)


def _order(order: GroupedTriples, put: Put, ahead: int | None) -> GroupedTriples:
    moved = GroupedTriples(put(order.ptr), put(order.first), put(order.second))
    if ahead is None:
        return moved
    many = len(Chunks.of(order.ptr).group) + ahead
    chunks = Chunks.of(order.ptr, many)
    return replace(moved, chunks=Chunks(*(put(getattr(chunks, name)) for name in
                                          ("group", "begin", "end", "stop"))))  # fmt: skip


def message(nodes: list[int], types: int, width: int, act: str) -> Case:
    """Two replicates; ``nodes`` of each graph slot, half of the slots a replicate."""
    generator = torch.Generator().manual_seed(width + types)
    each = len(nodes) // 2
    places = max(sum(nodes[:each]), sum(nodes[each:]))
    node, kind, counts = [], [], []
    for slot, n in enumerate(nodes):
        start = slot // each * places + sum(nodes[slot // each * each : slot])
        bonds = torch.randint(max(n, 1), (2 * n,), generator=generator).sort().values
        more = torch.randint(max(types - 1, 1), (2 * n,), generator=generator)
        bonds = torch.unique(bonds * types + more)  # sorted, each combination once
        own, far = torch.arange(n), torch.zeros(min(n, 1), dtype=torch.int64)
        node.append(torch.cat([own, bonds // types, far]) + start)
        kind.append(torch.cat([0 * own, (bonds % types + 1).clamp(max=types - 1), far]))
        counts.append(len(node[-1]))
    index = Messages(torch.cat(node), torch.cat(kind), torch.tensor([0, *counts]).cumsum(0),
                     torch.tensor(nodes))  # fmt: skip
    draw = numbers(width)
    inputs = [draw(2, places, width) * 3, draw(2, types, width), draw(len(index.node), width)]
    for x in inputs[:2]:
        x[0, 0].abs_()  # of the first message: there ReLU passes on a gradient, bad or not

    def run(backend: Any, put: Put) -> Named:
        y, w, grad = map(put, inputs)
        where = Messages(
            put(index.node), put(index.kind), put(index.ptr), put(index.nodes), most=max(nodes)
        )
        out = backend.message_forward(y, w, where, act)
        grad_y, grad_w = backend.message_backward(grad, y, w, where, act)
        return {"out": out, "grad y": grad_y, "grad w": grad_w}

    return Case(f"messages {act}, width {width}, {types} types, graphs of {nodes[:4]}", run, inputs,
                activated=2)  # fmt: skip


def norm(length: int, width: int, act: str | None, training: bool) -> Case:
    """Three replicates: weighted entries, one entry only, none at all."""
    generator = torch.Generator().manual_seed(width)
    weight = torch.randint(0, 5, (3, length, 1), generator=generator).float()
    weight[1:] = 0
    weight[1, 0] = 1
    draw = numbers(width)
    inputs = [draw(3, length, width) * 2 + 1, draw(3, length, width), draw(3, 4 * width)]
    variance = torch.rand(3, 1, width, generator=generator) + 0.5
    mean = draw(3, 1, width)

    def run(backend: Any, put: Put) -> Named:
        x, grad, flat = map(put, inputs)
        flat = flat.view(3, 1, 4 * width)  # parameters are views of the optimizer's tensor
        gamma, beta, shift = (flat[..., i * width : (i + 1) * width] for i in range(3))
        own = SimpleNamespace(weight=gamma, bias=beta, running_mean=put(mean),
                              running_var=put(variance), momentum=0.1, eps=1e-5)  # fmt: skip
        counts = put(weight)
        if training:
            found = backend.norm_statistics(x, counts, shift, own)
        else:
            rstd = torch.rsqrt(own.running_var + own.eps)
            found = _eval_statistics(own.running_mean - shift, rstd)
        out = backend.norm_forward(x, found, (gamma, beta), act)
        grads = backend.norm_backward(grad, x, counts, found, (gamma, beta), act)
        named = dict(zip(("grad x", "grad gamma", "grad beta", "grad shift"), grads, strict=True))
        more = {"mean": found.mean, "rstd": found.rstd, "share": found.share,
                "running mean": own.running_mean, "running var": own.running_var}  # fmt: skip
        return {"out": out, **named, **more}

    mode = "training" if training else "evaluation"
    return Case(f"norm {act}, {length}x{width}, {mode}", run, inputs[:2])


def _eval_statistics(mean: Tensor, rstd: Tensor) -> Any:
    from pdf_search.kernels.structures import Statistics  # noqa: PLC0415

    return Statistics(mean, rstd, mean.new_zeros(len(mean)))


def dropout(kind: str, length: int, width: int, rate: float) -> Case:
    generator = torch.Generator().manual_seed(width)

    def places(*shape: int) -> Tensor:
        return torch.randint(99, shape, generator=generator)

    keys = torch.randint(2**32, (3,), generator=generator)
    flat = kind == "flat"
    rows = (length,) if flat else (3, length)
    owner = torch.arange(length) % 3 if flat else None
    indices = (places(*rows), places(*rows)) if kind != "one index" else (places(*rows),)
    inputs = [numbers(width)(*rows, width)]

    def run(backend: Any, put: Put) -> Named:
        where = tuple(map(put, indices))
        draws = Draws(put(keys), 7, where, None if owner is None else put(owner))
        return {"out": backend.dropped(put(inputs[0]), draws, rate)}

    return Case(f"dropout {rate}, {kind}, width {width}", run, inputs, 1e-6)


def adamw(width: int, as_tensor: bool) -> Case:
    draw = numbers(width)
    inputs = [draw(3, width) for _ in range(4)]
    inputs[3] = inputs[3].abs()
    corrections = torch.tensor([[0.1], [0.3], [0.2]]), torch.tensor([[0.01], [0.02], [0.03]])
    active = torch.tensor([True, False, True])

    def run(backend: Any, put: Put) -> Named:
        grad, *state = map(put, inputs)
        before = [x.clone() for x in state]
        rate = put(torch.tensor(1e-2)) if as_tensor else 1e-2
        backend.adamw_step(grad, tuple(state), tuple(map(put, corrections)), put(active), rate,
                           (0.9, 0.999, 1e-8, 0.1))  # fmt: skip
        # Of the replicate that is not active, the tensors; of the others what was added to them.
        named = {"left alone": torch.stack(state)[:, 1]}
        for name, new, old in zip(("values", "mean", "square"), state, before, strict=True):
            named[name] = (new - old)[::2]
        return named

    return Case(f"optimizer step, {width} parameters, rate {as_tensor}", run, inputs[:1], 1e-4)


def all_cases(tiny: bool) -> list[Case]:
    """The cases of a device; tiny ones for the interpreter."""
    f32, bf16 = torch.float32, torch.bfloat16
    long = 2 * GPU_CHUNK + 1
    shapes = [(37, 37, 60, 5, 6, 9), (37, 1, 60, 5, 6, 9), (1, 1, 5, 3, 2, 2), (16, 16, 0, 4, 3, 3)]
    cases = [adamw(50, False), adamw(1100, True)]
    cases += [dropout(kind, 41, 37, 0.5) for kind in ("one index", "two indices", "flat")]
    for act, width, training in ((None, 5, True), ("gelu", 5, False), ("relu", 5, True),
                                 ("gelu", 45, True)):  # fmt: skip
        cases.append(norm(40, width, act, training))
    cases += [message([3, 2, 0, 3], 1, 1, "gelu"), message([3, 2, 0, 3], 5, 37, "relu")]
    cases += [message([2, 1, 3, 0], types, 3, "relu") for types in (20, 40, 80)]
    cases += [segment_product((7, 7, GPU_CHUNK, 1, 1, 5), f32)]
    cases += [segment_product((5, own, long, 2, 1, 5), f32, ahead=2) for own in (5, 1)]
    cases += [segment_product(shape, dtype) for shape in shapes for dtype in (f32, bf16)]
    cases += [message([70, 0, 3, 33], 4, 35, "gelu")]
    cases += [norm(1100, 3, "gelu", True)]  # more runs than a program takes at a time
    if tiny:
        return cases
    wide = (160, 20_000, 1500, 300, 4000)
    for dtype in (f32, bf16):
        cases += [segment_product((wide[0], own, *wide[1:]), dtype) for own in (160, 1)]
    for width in (96, 160, 256, 384, 1000):
        cases += [segment_product((width, own, 600, 50, 60, 70), f32, 3) for own in (width, 1)]
        cases += [message([23] * 16, 5, width, "gelu"), norm(1700, width, "gelu", True)]
        cases += [dropout("flat", 3000, width, 0.1)]
    return [*cases, message([3000, 5], 5, 160, "relu"), adamw(499_681, True)]
