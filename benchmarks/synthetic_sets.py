"""What ogbg-molpcba and ogbg-ppa would cost, on made-up sets of their size and layout.

    python benchmarks/synthetic_sets.py ogbg-molpcba --fraction 0.05 --data-root FOLDER --out DIR
    python benchmarks/synthetic_sets.py ogbg-ppa --fraction 0.01 --kinds 200000 --out DIR

For a share of the set: time and memory of preparing it and of its bank, and steps of the published
setting, or the refusal. For the whole: the memory plan's answer here, and that for a GPU. A GPU's
time is no measurement: it is the least that the products and segment products of a step can take.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import torch
from common import describe_machine
from synthetic.ogb_files import PUBLISHED, write
from torch.utils.flop_counter import FlopCounterMode

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.data.banks import cached_bank
from pdf_search.errors import PdfSearchError
from pdf_search.graphs import Bank
from pdf_search.kernels.cpu import products
from pdf_search.parameters import parameter_count
from pdf_search.space import paper_trial
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.device import keep_freed_memory, peak_megabytes, reset_peak
from pdf_search.training.memory import Footprint, check_memory, decide
from pdf_search.training.replicates import ReplicateSplits

CPU, GPU = torch.device("cpu"), torch.device("cuda")
GPU_BYTES = 139 << 30  # an H200's memory
GPU_FLOPS, GPU_TRAFFIC, LAUNCHES = 200e12, 2.1e12, 1e-3  # half of TF32's and memory's best; seconds
Value = TypeVar("Value")


class Report:
    """Prints each finding when it is known."""

    def timed(self, what: str, run: Callable[[], Value]) -> Value:
        """Run, and print the seconds, CPU seconds and peak memory."""
        reset_peak(CPU)
        began, cpu = time.perf_counter(), time.process_time()
        value = run()
        self.say(what, s=time.perf_counter() - began, cpu_s=time.process_time() - cpu,
                 peak_mb=peak_megabytes(CPU))  # fmt: skip
        return value

    def say(self, what: str, **more: Any) -> None:
        rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in more.items()}
        print(json.dumps({"what": what, **rounded}), flush=True)


class Repeated:
    """Edges [2, E] of a set whose graphs come again and again, as if they were all there."""

    def __init__(self, edges: Any, length: int) -> None:
        self.edges, self.length = edges, length
        self.shape = (2, length)

    def __getitem__(self, place: tuple[slice, Any]) -> Any:
        return self.edges[:, place[1] % self.edges.shape[1]]


class RepeatedTypes(Repeated):
    def __getitem__(self, place: Any) -> Any:
        return self.edges[place % len(self.edges)]

    def __len__(self) -> int:
        return self.length


def whole(data: Prepared) -> Prepared:
    """The published number of graphs, by repeating those at hand; only pointers are copied."""
    graphs, count = data.graphs, PUBLISHED[data.info.name]
    picks = np.arange(count) % len(graphs)
    pointers = [
        np.concatenate([[0], np.diff(ptr)[picks].cumsum()])
        for ptr in (graphs.node_ptr, graphs.edge_ptr)
    ]
    count_of_edges = int(pointers[1][-1])
    edges: Any = Repeated(graphs.edges, count_of_edges)
    types: Any = RepeatedTypes(graphs.edge_type, count_of_edges)
    more = replace(
        graphs, node_ptr=pointers[0], edge_ptr=pointers[1], edges=edges, edge_type=types,
        nodes=np.broadcast_to(graphs.nodes[:1], (int(pointers[0][-1]), graphs.nodes.shape[1])),
        targets=np.broadcast_to(graphs.targets[:1], (count, graphs.targets.shape[1])),
    )  # fmt: skip
    return replace(data, graphs=more, fingerprint=data.fingerprint + " repeated")


def sizes(data: Prepared, bank: Bank, report: Report) -> None:
    graphs = data.graphs
    report.say(
        "sizes", graphs=len(graphs), nodes=float(graphs.node_count.mean()),
        bonds=graphs.edges.shape[1] / 2 / len(graphs), edge_types=len(graphs.edge_types),
        near_pairs=len(bank.target), pairs_a_graph=len(bank.target) / len(graphs),
        rows=len(bank.rows), bank_mb=sum(a.nbytes for a in vars(bank).values()
                                         if isinstance(a, np.ndarray)) / 2**20,
    )  # fmt: skip


def steps(config: TrialConfig, data: Prepared, number: int, report: Report) -> None:
    """Train some steps of the published setting; or print why that is refused."""
    splits = ReplicateSplits.of(config, data)
    try:
        trainer = report.timed("trainer", lambda: build_trainer(config, data, splits, CPU))
    except PdfSearchError as error:
        report.say("refused", words=str(error))
        return
    order, size = splits.epoch_order(1), config.training.batch_size
    times = []
    reset_peak(CPU)
    for step in range(number):
        graphs = order[:, step * size : (step + 1) * size]
        began, cpu = time.perf_counter(), time.process_time()
        trainer.train_step(1, step, graphs, 1e-4)
        times.append((time.perf_counter() - began, time.process_time() - cpu))
    later = np.array(times[1:])
    count = -(-order.shape[1] // size)
    full = count * PUBLISHED[data.info.name] / len(data.graphs)
    median = np.median(later, axis=0)
    report.say("a step", s=float(median[0]), cpu_s=float(median[1]), peak_mb=peak_megabytes(CPU),
               steps_of_this_epoch=count, steps_of_the_whole=round(full),
               cpu_hours_of_the_whole_epoch=float(median[1] * full / 3600))  # fmt: skip
    estimate(trainer, order[:, :size], full, report)


def estimate(trainer: Any, graphs: torch.Tensor, count: float, report: Report) -> None:
    """Seconds on an H200 for a step's products, and the rows that its segment products read."""
    counted = floating_operations(lambda: trainer.train_step(1, 0, graphs, 1e-4))
    batch = trainer.batch(graphs)
    layers, width = len(trainer.model.layers), trainer.model.head.weight.shape[1]
    triples = len(batch.triples.by_segment.first)
    traffic = layers * 3 * 2 * triples * width * 4
    seconds = counted / GPU_FLOPS + traffic / GPU_TRAFFIC + LAUNCHES
    report.say("at least, on an H200; not measured", gflop_a_step=counted / 1e9,
               gb_of_rows_a_step=traffic / 1e9, ms_a_step=1e3 * seconds,
               minutes_an_epoch=seconds * count / 60)  # fmt: skip


def floating_operations(run: Callable[[], object]) -> int:
    """Those of the matrix products, all by torch's own, since it cannot count oneDNN's."""
    with FlopCounterMode(display=False) as counter, patch.object(products, "quick_onednn", bool):
        run()
    return int(counter.get_total_flops())


def plans(config: TrialConfig, data: Prepared, bank: Bank, report: Report) -> None:
    """Whether the whole set fits: on this machine, and on a GPU with 139 GiB."""
    try:
        check_memory(config, whole(data))
        report.say("the whole set fits here")
    except PdfSearchError as error:
        report.say("the whole set here", refused=str(error))
    assert data.info.shape is not None
    size = parameter_count(config.model, config.basis.size, data.info.shape)
    small = Footprint.of(config, data.graphs, bank, size)
    times = PUBLISHED[data.info.name] / len(data.graphs)
    needs = replace(small, lists=round(small.lists * times))
    try:
        plan: Any = decide(needs, 1, 1000, GPU, GPU_BYTES)
    except PdfSearchError as error:
        plan = f"refused: {error}"
    report.say("the whole set on an H200", lists_gb=needs.lists / 1e9, step_gb=needs.step / 1e9,
               bank_gb_while_built=times * len(bank.target) * 80 / 1e9, plan=str(plan))  # fmt: skip


def main() -> None:
    arguments = parse()
    torch.set_num_threads(1)
    keep_freed_memory()
    print(describe_machine("cpu", 1), flush=True)
    report, name = Report(), arguments.name
    raw = arguments.out / f"raw-{arguments.fraction}-{arguments.kinds}"
    if not raw.exists():
        molhiv = arguments.data_root / "ogb" / "ogbg_molhiv" if arguments.data_root else Path()
        report.timed("files", lambda: write(name, arguments.fraction, raw, molhiv, arguments.kinds))
    tree = dict(paper_trial(name)) | {"device": "cpu", "seeds": [0]}
    tree["model"] = {**tree["model"], **json.loads(arguments.model)}
    config = parse_trial(tree)
    cache = arguments.out / "cache"
    folder = report.timed("preparation", lambda: prepare(config.data, raw, cache))
    data = load_prepared(folder)
    bank = report.timed("bank", lambda: cached_bank(data, config.basis))
    sizes(data, bank, report)
    plans(config, data, bank, report)
    if arguments.steps:
        steps(config, data, arguments.steps, report)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("name", choices=list(PUBLISHED))
    parser.add_argument("--fraction", type=float, required=True, help="of the published graphs")
    parser.add_argument("--kinds", type=int, default=1000, help="edge feature rows of ogbg-ppa")
    parser.add_argument("--steps", type=int, default=6, help="training steps; 0: none")
    parser.add_argument("--model", default="{}", help="changes of the published network, JSON")
    parser.add_argument("--data-root", type=Path, help="has ogb/ogbg_molhiv, for its molecules")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
