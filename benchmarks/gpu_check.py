"""Checks and measures everything that runs on a GPU, in one short run.

    python benchmarks/gpu_check.py --data-root FOLDER --seconds 220 --json FILE

Kernels against plain torch, the fast engine against the reference, recorded steps against eager
ones, steps that wait for the device; then ZINC's epoch and step, tile sizes of the segment product
and the kernels that take the most time. Each row is printed as a line of JSON when it is known; a
part that fails is a row with its error, and the others go on. ``--device cpu`` runs the same parts
without a GPU (steps emulated), which with ``--fraction 0.02 --hidden 16 --replicates 2`` is quick.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from common import describe_machine, write_rows
from torch import Tensor

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.data.banks import cached_bank
from pdf_search.kernels import (
    Chunks,
    GroupedTriples,
    Messages,
    Triples,
    backend_for,
    build_triples,
    message,
    reference,
    segment_product,
    structures,
)
from pdf_search.model.engines import engine_data
from pdf_search.model.layers import BatchNorm, activation
from pdf_search.model.randomness import replicate_keys
from pdf_search.space import paper_trial
from pdf_search.training.build_trainers import trainer_of
from pdf_search.training.cuda_graph.replay import Captured, emulated
from pdf_search.training.cuda_graph.trainer import CudaGraphTrainer, in_steps
from pdf_search.training.device import peak_megabytes, use_precision
from pdf_search.training.memory import Footprint, free_bytes
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits

Row = dict[str, Any]
AT_ONCE = 200  # steps built at once: all of ZINC's epoch
VARIANTS = {
    "zinc": {},
    "softmax": {"softmax": True, "filter_norm": True, "readout": "max", "head": "mlp"},
    "dropout": {"dropout": 0.2, "filter_norm": True},
    "shared": {"channels": "shd"},
}


@dataclass
class Bench:
    """The arguments, and the prepared data set."""

    data: Prepared
    device: torch.device
    hidden: int
    replicates: int
    fraction: float

    def config(self, fraction: float, replicates: int, engine: str, **model: Any) -> TrialConfig:
        tree = dict(paper_trial("zinc"))
        tree["model"] = {**tree["model"], "hidden": self.hidden, **model}
        tree["data"] = {**tree["data"], "train_fraction": fraction}
        tree |= {"engine": engine, "seeds": list(range(replicates))}
        return parse_trial(tree | {"device": self.device.type, "precision": "float32"})

    def setup(self, config: TrialConfig) -> tuple[ReplicateSplits, Callable[[], ReplicateTrainer]]:
        """The splits, and what makes trainers on the same data."""
        splits = ReplicateSplits.of(config, self.data)
        bank = cached_bank(self.data, config.basis).subset(splits.numbers)
        lists = engine_data(config.engine, config.model, splits.graphs, bank, self.device)
        return splits, lambda: trainer_of(config, self.data, splits, lists, self.device)

    @property
    def small(self) -> float:
        return min(self.fraction, 0.03)

    @property
    def record(self) -> Any:
        return Captured() if self.device.type == "cuda" else emulated

    def wait(self) -> float:
        """The time, when the device has done everything."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()


def kernels(bench: Bench) -> Iterator[Row]:
    """Segment products, messages and norms on random numbers, against double precision."""
    generator = torch.Generator().manual_seed(0)
    count, segments, rows_a, rows_b = 20_000, 1500, 300, 4000
    picks = [torch.randint(n, (count,), generator=generator) for n in (segments, rows_a, rows_b)]
    picks[1][: count // 2] = 0  # one hot row
    order = build_triples(*picks, (segments, rows_a, rows_b))
    device = bench.device
    for width in (160, 1):
        a = torch.randn(rows_a, width, generator=generator)
        b = torch.randn(rows_b, 160, generator=generator)
        grad = torch.randn(segments, 160, generator=generator)
        for ordered in (False, True):
            torch.use_deterministic_algorithms(ordered)
            ours = _product(a, b, grad, _moved(order, device), device)
            torch.use_deterministic_algorithms(False)
            theirs = _product(a.double(), b.double(), grad.double(), order, torch.device("cpu"))
            worst = max(error(x, y) for x, y in zip(ours, theirs, strict=True))
            yield {"part": "kernels", "what": f"segment product, width {width}, "
                   f"deterministic {ordered}", "error": worst, "limit": 1e-5}  # fmt: skip
    a, b = (torch.randn(n, 160, generator=generator).bfloat16() for n in (rows_a, rows_b))
    moved = _moved(order, device).by_segment
    ours = backend_for(b.to(device)).grouped_product(a.to(device), b.to(device), moved)
    theirs = reference.grouped_product(a, b, order.by_segment)
    yield {"part": "kernels", "what": "segment product, bfloat16", "error": error(ours, theirs),
           "limit": 1e-2}  # fmt: skip
    yield from _messages(generator, device)
    yield from _norms(generator, device)


def _moved(order: Triples, device: torch.device) -> Triples:
    def move(o: GroupedTriples) -> GroupedTriples:
        return GroupedTriples(o.ptr.to(device), o.first.to(device), o.second.to(device))

    return Triples(move(order.by_segment), move(order.by_a), move(order.by_b))


def _product(
    a: Tensor, b: Tensor, grad: Tensor, order: Triples, device: torch.device
) -> tuple[Tensor, ...]:
    a, b = (x.to(device).requires_grad_() for x in (a, b))
    out = segment_product(a, b, order)
    return out, *torch.autograd.grad(out, (a, b), grad.to(device))


def _messages(generator: torch.Generator, device: torch.device) -> Iterator[Row]:
    slots, nodes, types, width = 128, 23, 5, 160
    bonds = torch.randint(nodes, (slots, 50), generator=generator).sort(1).values
    own = torch.arange(nodes).expand(slots, -1)
    node = torch.cat([own, bonds, own[:, :1]], 1) + torch.arange(slots)[:, None] * nodes
    kind = torch.zeros_like(node)
    kind[:, nodes:-1] = torch.randint(1, types, (slots, 50), generator=generator)
    ptr = torch.arange(slots + 1) * node.shape[1]
    index = [node.flatten(), kind.flatten(), ptr, torch.full((slots,), nodes)]
    y = torch.randn(2, slots // 2 * nodes, width, generator=generator) * 3
    w = torch.randn(2, types, width, generator=generator)
    grad = torch.randn(len(index[0]), width, generator=generator)
    results = []
    for function, where, kind_of in (
        (message, device, torch.float32),
        (reference.message_forward, torch.device("cpu"), torch.float64),
    ):
        inputs = [x.to(where, kind_of).requires_grad_() for x in (y, w)]
        out = function(*inputs, Messages(*(i.to(where) for i in index)), "gelu")
        results.append((out, *torch.autograd.grad(out, inputs, grad.to(where, kind_of))))
    worst = max(error(x, y) for x, y in zip(*results, strict=True))
    yield {"part": "kernels", "what": "messages", "error": worst, "limit": 1e-5}


def _norms(generator: torch.Generator, device: torch.device) -> Iterator[Row]:
    x = torch.randn(4, 1700, 160, generator=generator) * 2 + 1
    shift = torch.randn(4, 1, 160, generator=generator)
    weight = torch.randint(0, 4, (4, 1700, 1), generator=generator).float()
    grad = torch.randn(4, 1700, 160, generator=generator)
    for training in (True, False):
        results = []
        for fused, where, kind in (
            (True, device, torch.float32),
            (False, torch.device("cpu"), torch.float64),
        ):
            norm = BatchNorm(160, 4).to(where, kind).train(training)
            inputs = [t.to(where, kind).requires_grad_() for t in (x, shift)]
            counts = weight.to(where, kind)
            if fused:
                out = norm.fused(*inputs, counts, "gelu")
            else:
                out = activation("gelu", norm(inputs[0] + inputs[1], counts))
            parameters = [*inputs, norm.weight, norm.bias]
            grads = torch.autograd.grad(out, parameters, grad.to(where, kind))
            if training:  # the batch's mean takes the shift off: its gradient is rounding alone
                grads = (grads[0], *grads[2:])
            results.append((out, *grads, norm.running_mean, norm.running_var))
        worst = max(error(a, b) for a, b in zip(*results, strict=True))
        yield {"part": "kernels", "what": f"norm, training {training}", "error": worst,
               "limit": 1e-5}  # fmt: skip


def error(ours: Tensor, theirs: Tensor) -> float:
    """Largest difference, against the largest value."""
    ours, theirs = ours.detach().cpu().double(), theirs.detach().cpu().double()
    if not ours.isfinite().all():
        return float("inf")
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-12))


def engines(bench: Bench) -> Iterator[Row]:
    """The fast engine against the reference: outputs and gradients of one training step."""
    for name in ("zinc", "softmax"):
        found = []
        for engine in ("fast", "reference"):
            config = bench.config(bench.small, 2, engine, **VARIANTS[name])
            splits, make = bench.setup(config)
            trainer = make()
            graphs = splits.epoch_order(1)[:, :64].to(bench.device)
            trainer.train_step(1, 0, graphs, 0.0)  # first moments: a tenth of the gradient
            found.append((trainer.optimizer.mean, *trainer.model.buffers()))
        worst = max(error(x, y) for x, y in zip(*found, strict=True))
        yield {"part": "engines", "what": name, "error": worst, "limit": 3e-5}


def recorded(bench: Bench) -> Iterator[Row]:
    """Recorded steps against eager ones: losses, predictions and parameters after two epochs."""
    for name, model in VARIANTS.items():
        config = bench.config(bench.small, 2, "fast", **model)
        splits, make = bench.setup(config)
        eager, other = make(), make()
        static = CudaGraphTrainer(other, bench.record, AT_ONCE)
        valid = splits.places("valid").to(bench.device)
        pairs = []
        for epoch in (1, 2):
            order = splits.epoch_order(epoch).to(bench.device)
            pairs.append([p.train_epoch(epoch, order, 1e-4) for p in (static, eager)])
            pairs += zip(static.predict(valid), eager.predict(valid), strict=True)
        pairs.append([other.optimizer.values, eager.optimizer.values])
        worst = max(error(x, y) for x, y in pairs)
        yield {"part": "recorded", "what": name, "error": worst, "limit": 1e-3}


def waiting(bench: Bench) -> Iterator[Row]:
    """No operation of a step may wait for the device."""
    if bench.device.type != "cuda":
        yield {"part": "waiting", "what": "needs a GPU", "error": None, "limit": None}
        return
    for name, model in VARIANTS.items():
        config = bench.config(bench.small, 2, "fast", **model)
        splits, make = bench.setup(config)
        trainer = make()
        steps: list[Callable[[], None]] = []

        def keep(step: Callable[[], None], steps: list[Callable[[], None]] = steps) -> Any:
            steps.append(step)
            return emulated(step)

        static = CudaGraphTrainer(trainer, keep, AT_ONCE)
        static.train_epoch(1, splits.epoch_order(1).to(bench.device), 1e-4)
        static.predict(splits.places("valid").to(bench.device))
        torch.cuda.set_sync_debug_mode("error")
        try:
            for step in steps:
                step()
        finally:
            torch.cuda.set_sync_debug_mode("default")
        yield {"part": "waiting", "what": name, "error": 0.0, "limit": 0.0}


def epochs(bench: Bench) -> Iterator[Row]:
    """Recorded epochs of ZINC with their collation, and the reference's step beside them."""
    use_precision("tf32", bench.device)
    for replicates in dict.fromkeys((bench.replicates, 1, 4, 16)):
        if replicates > 2 * bench.replicates:
            continue
        yield _epoch(bench, replicates)
    use_precision("float32", bench.device)


def _epoch(bench: Bench, replicates: int) -> Row:
    config = bench.config(bench.fraction, replicates, "fast")
    splits, make = bench.setup(config)
    trainer = make()
    if bench.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    bank = cached_bank(bench.data, config.basis).subset(splits.numbers)
    size = trainer.optimizer.values.shape[1]
    estimate = Footprint.of(config, splits.graphs, bank, size)
    static = CudaGraphTrainer(trainer, bench.record, AT_ONCE)
    orders = [splits.epoch_order(epoch).to(bench.device) for epoch in range(1, 5)]
    began = bench.wait()
    static.train_epoch(1, orders[0], 1e-4)
    first = bench.wait() - began
    times, built = [], []
    steps = in_steps(orders[0], config.training.batch_size)
    for epoch, order in enumerate(orders[1:], 2):
        began = bench.wait()
        static.train_epoch(epoch, order, 1e-4)
        times.append(bench.wait() - began)
    for order in orders[1:3]:
        began = bench.wait()
        keys = replicate_keys(trainer.replicates, 1).to(bench.device).expand(len(steps), -1)
        static._pack(static.learning, in_steps(order, config.training.batch_size), keys)
        built.append(bench.wait() - began)
    valid = splits.places("valid").to(bench.device)
    static.predict(valid)
    began = bench.wait()
    static.predict(valid)
    evaluation = bench.wait() - began
    epoch_s, build_s = median(times), median(built)
    fast_ms = 1e3 * epoch_s / len(steps) / replicates
    reference_ms = _reference_ms(bench, replicates)
    return {
        "part": "epochs", "dataset": "zinc", "replicates": replicates,
        "precision": "tf32" if bench.device.type == "cuda" else "float32",
        "epoch_s_per_replicate": epoch_s / replicates, "collate_s": build_s,
        "step_ms": 1e3 * (epoch_s - build_s) / len(steps), "first_epoch_s": first,
        "evaluation_s": evaluation, "fast_ms": fast_ms, "reference_ms": reference_ms,
        "speedup": reference_ms / fast_ms, "peak_mb": peak_megabytes(bench.device),
        "estimated_mb": (estimate.lists + replicates * (estimate.state + estimate.step
                         + len(steps) * estimate.built)) / 2**20,
    }  # fmt: skip


def _reference_ms(bench: Bench, replicates: int) -> float:
    """A step of the reference engine, collation included, per replicate."""
    splits, make = bench.setup(bench.config(bench.small, replicates, "reference"))
    trainer = make()
    graphs = splits.epoch_order(1).to(bench.device)
    times = []
    for number in range(6):
        began = bench.wait()
        trainer.train_step(1, number, graphs[:, :64], 1e-4)
        times.append(bench.wait() - began)
    return 1e3 * median(times[2:]) / replicates


def tiles(bench: Bench) -> Iterator[Row]:
    """The three segment products of a layer, for sizes of tiles and chunks."""
    if bench.device.type != "cuda":
        yield {"part": "tiles", "what": "needs a GPU"}
        return
    from pdf_search.kernels.triton import segment_product as tiled  # noqa: PLC0415

    splits, make = bench.setup(bench.config(bench.small, bench.replicates, "fast"))
    batch = make().data.collate(splits.epoch_order(1)[:, :64].to(bench.device))
    own = structures.GPU_CHUNK, tiled.ROWS, tiled.CHANNELS, tiled.WARPS
    orders = vars(batch.triples)
    sizes = {"by_segment": ("by_a", "by_b"), "by_a": ("by_segment", "by_b"),
             "by_b": ("by_a", "by_segment")}  # fmt: skip
    for choice in ((64, 8, 32, 1), (64, 16, 32, 1), (64, 16, 32, 2), (32, 8, 32, 1),
                   (128, 8, 32, 1), (64, 4, 64, 1), (64, 8, 64, 2), (64, 4, 32, 1)):  # fmt: skip
        structures.GPU_CHUNK, tiled.ROWS, tiled.CHANNELS, tiled.WARPS = choice
        row: Row = {"part": "tiles", "chunk, rows, channels, warps": choice}
        for name, (first, second) in sizes.items():
            order = orders[name]
            ready = GroupedTriples(order.ptr, order.first, order.second, Chunks.of(order.ptr))
            a, b = (
                torch.randn(orders[n].groups, bench.hidden, device=bench.device)
                for n in (first, second)
            )
            for _ in range(3):
                tiled.grouped_product(a, b, ready)
            began = bench.wait()
            for _ in range(20):
                tiled.grouped_product(a, b, ready)
            row[f"{name}_us"] = 1e6 * (bench.wait() - began) / 20
        yield row
    structures.GPU_CHUNK, tiled.ROWS, tiled.CHANNELS, tiled.WARPS = own


def slowest(bench: Bench) -> Iterator[Row]:
    """The kernels that take the most time in a recorded step."""
    if bench.device.type != "cuda":
        yield {"part": "slowest", "what": "needs a GPU"}
        return
    from torch.profiler import ProfilerActivity, profile  # noqa: PLC0415

    use_precision("tf32", bench.device)
    splits, make = bench.setup(bench.config(bench.small, bench.replicates, "fast"))
    static = CudaGraphTrainer(make(), Captured(), AT_ONCE)
    order = splits.epoch_order(1).to(bench.device)
    static.train_epoch(1, order, 1e-4)
    replay = static.learning.replay
    assert replay is not None
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(5):
            replay()
        torch.cuda.synchronize()
    events = sorted(profiler.key_averages(), key=lambda e: -e.self_device_time_total)
    total = sum(e.self_device_time_total for e in events)
    for event in events[:18]:
        yield {"part": "slowest", "kernel": event.key[:90], "calls": event.count / 5,
               "ms": event.self_device_time_total / 5e3,
               "share": event.self_device_time_total / max(total, 1e-9)}  # fmt: skip


PARTS = (kernels, engines, recorded, waiting, epochs, slowest, tiles)


def main() -> None:
    arguments = parse()
    end = time.monotonic() + arguments.seconds
    torch.set_num_threads(arguments.threads)
    print(describe_machine(arguments.device, arguments.threads), flush=True)
    config = parse_trial(dict(paper_trial("zinc")))
    data = load_prepared(prepare(config.data, arguments.data_root))
    device = torch.device(arguments.device)
    bench = Bench(data, device, arguments.hidden, arguments.replicates, arguments.fraction)
    if device.type == "cuda":
        show({"part": "memory", "free_gb": free_bytes(device) / 1e9})
    rows: list[Row] = []
    for part in PARTS:
        if arguments.parts and part.__name__ not in arguments.parts:
            continue
        for row in guarded(part, bench):
            rows.append(row)
            show(row)
            if time.monotonic() > end:
                break
        if time.monotonic() > end:
            rows.append({"part": part.__name__, "what": "time limit: the rest was left out"})
            show(rows[-1])
            break
    if arguments.json:
        write_rows(arguments.json, rows)
    raise SystemExit(any(failed(row) for row in rows))


def guarded(part: Callable[[Bench], Iterator[Row]], bench: Bench) -> Iterator[Row]:
    """The rows of a part with the time they took; an error is a row too: the others go on."""
    began = time.perf_counter()
    try:
        for row in part(bench):
            yield row | {"seconds": time.perf_counter() - began}
            began = time.perf_counter()
    except Exception:
        yield {"part": part.__name__, "failed": traceback.format_exc(limit=-4)}


def failed(row: Row) -> bool:
    return "failed" in row or (row.get("limit") is not None and not row["error"] <= row["limit"])


def show(row: Row) -> None:
    print(("FAILED " if failed(row) else "") + json.dumps(row), flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-root", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--parts", nargs="+", choices=[part.__name__ for part in PARTS])
    parser.add_argument("--replicates", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=160)
    parser.add_argument("--fraction", type=float, default=1.0, help="share of the training graphs")
    parser.add_argument("--seconds", type=float, default=220.0)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
