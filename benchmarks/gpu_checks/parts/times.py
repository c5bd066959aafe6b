"""Each kernel's time by graph replay on one of ZINC's batches, and the slowest of a recorded step.

Eager launches would measure Python. Beside it: what recording takes and saves, from which
``replay.py`` decides whether a trial's steps are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from gpu_checks.bench import AT_ONCE, Bench, Row
from gpu_checks.compare import check
from gpu_checks.parts.cases import numbers
from pdf_search.kernels import Chunks, Draws, GroupedTriples, structures, triton
from pdf_search.kernels.structures import Statistics
from pdf_search.kernels.triton import segment_product as tiled
from pdf_search.training.cuda_graph.replay import Captured
from pdf_search.training.cuda_graph.trainer import CudaGraphTrainer
from pdf_search.training.device import use_precision

LAUNCHES, REPLAYS = 20, 5
SIZES = {"by_segment": ("by_a", "by_b"), "by_a": ("by_segment", "by_b"),
         "by_b": ("by_a", "by_segment")}  # fmt: skip
TILES = ((64, 8, 32, 1), (64, 16, 32, 1), (64, 16, 32, 2), (32, 8, 32, 1), (128, 8, 32, 1),
         (64, 4, 64, 1), (64, 8, 64, 2), (64, 4, 32, 1))  # fmt: skip


def rows(bench: Bench) -> Iterator[Row]:
    use_precision("tf32", bench.device)
    replicates = bench.sizes.together[0]
    splits, make = bench.setup(bench.config(replicates, fraction=0.1))
    order = splits.epoch_order(1).to(bench.device)
    trainer = make()
    batch = trainer.batch(order[:, : bench.sizes.batch])
    for name, run in operations(batch, len(trainer.edge_types), bench).items():
        yield {"what": name, "us": by_replay(run)}
    yield recording(bench, make(), order)
    yield from slowest(make(), order)
    yield from tiles(batch, bench)


def by_replay(run: Callable[[], Any]) -> float:
    """Microseconds of one run, from a graph of several of them."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            run()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    start.record()
    for _ in range(REPLAYS):
        graph.replay()
    end.record()
    torch.cuda.synchronize()
    milliseconds: float = start.elapsed_time(end)
    return round(1e3 * milliseconds / LAUNCHES / REPLAYS, 2)


def operations(batch: Any, types: int, bench: Bench) -> dict[str, Callable[[], Any]]:
    """The operations of a layer, forward and backward, at the sizes of the batch."""
    width, draw = bench.sizes.hidden, numbers(0)

    def on(*shape: int) -> Tensor:
        return draw(*shape).to(bench.device)

    replicates, places = batch.node_mask.shape[:2]
    y, w = on(replicates, places, width), on(replicates, types, width)
    grad = on(len(batch.messages.node), width)
    one, counts = on(replicates, 1, width), batch.node_mask.float()
    statistics = Statistics(one, one.abs() + 1, on(replicates).abs())
    index = torch.arange(places, device=bench.device)
    draws = Draws(torch.arange(replicates, device=bench.device), 3, (index.expand(replicates, -1),))
    found: dict[str, Callable[[], Any]] = {}
    for name, (first, second) in SIZES.items():
        ready, a, b = ordered(batch, name, first, second, on, width)
        found[f"segment product {name}"] = partial(triton.grouped_product, a, b, ready)
    where = batch.messages
    found["messages"] = lambda: triton.message_forward(y, w, where, "gelu")
    found["messages, gradient"] = lambda: triton.message_backward(grad, y, w, where, "gelu")
    found["norm"] = lambda: triton.norm_forward(y, statistics, (one, one), "gelu")
    found["norm, gradient"] = lambda: triton.norm_backward(
        y, y, counts, statistics, (one, one), "gelu"
    )
    found["dropout"] = lambda: triton.dropped(y, draws, 0.1)
    return found


def ordered(
    batch: Any, name: str, first: str, second: str, on: Callable[..., Tensor], width: int
) -> tuple[GroupedTriples, Tensor, Tensor]:
    orders = vars(batch.triples)
    order = orders[name]
    ready = GroupedTriples(order.ptr, order.first, order.second, Chunks.of(order.ptr))
    a, b = (on(orders[n].groups, width) for n in (first, second))
    return ready, a, b


def recording(bench: Bench, trainer: Any, order: Tensor) -> Row:
    """Seconds that recording takes, and what a replay takes of an eager step."""
    static = CudaGraphTrainer(trainer, Captured(), AT_ONCE)
    began = bench.wait()
    static.train_epoch(1, order, 1e-4)
    recorded_s = bench.wait() - began
    replay = static.learning.replay
    assert replay is not None
    eager, times = trainer, []
    for run in (replay, lambda: eager.train_step(1, 0, order[:, : bench.sizes.batch], 1e-4)):
        run()
        began = bench.wait()
        for _ in range(10):
            run()
        times.append((bench.wait() - began) / 10)
    return check("a replayed step of an eager one", times[0] / times[1], 1.0, record_s=recorded_s,
                 saved_s_per_step=times[1] - times[0])  # fmt: skip


def slowest(trainer: Any, order: Tensor) -> Iterator[Row]:
    from torch.profiler import ProfilerActivity, profile  # noqa: PLC0415

    static = CudaGraphTrainer(trainer, Captured(), AT_ONCE)
    static.train_epoch(1, order, 1e-4)
    replay = static.learning.replay
    assert replay is not None
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(REPLAYS):
            replay()
        torch.cuda.synchronize()
    events = sorted(profiler.key_averages(), key=lambda e: -e.self_device_time_total)
    total = sum(e.self_device_time_total for e in events)
    launches = sum(e.count for e in events) / REPLAYS
    yield {"what": "a step", "kernels": launches, "ms": total / 1e3 / REPLAYS}
    for event in events[:15]:
        yield {"what": event.key[:90], "calls": event.count / REPLAYS,
               "ms": event.self_device_time_total / 1e3 / REPLAYS,
               "share": round(event.self_device_time_total / max(total, 1e-9), 3)}  # fmt: skip


def tiles(batch: Any, bench: Bench) -> Iterator[Row]:
    """The segment products with other tiles and chunks."""
    own = structures.GPU_CHUNK, tiled.ROWS, tiled.CHANNELS, tiled.WARPS
    draw = numbers(0)

    def on(*shape: int) -> Tensor:
        return draw(*shape).to(bench.device)

    try:
        for choice in TILES:
            structures.GPU_CHUNK, tiled.ROWS, tiled.CHANNELS, tiled.WARPS = choice
            row: Row = {"what": f"chunk, rows, channels, warps {choice}"}
            for name, (first, second) in SIZES.items():
                ready, a, b = ordered(batch, name, first, second, on, bench.sizes.hidden)
                run = partial(triton.grouped_product, a, b, ready)
                row[f"{name}_us"] = by_replay(run)
            yield row
    finally:
        structures.GPU_CHUNK, tiled.ROWS, tiled.CHANNELS, tiled.WARPS = own
