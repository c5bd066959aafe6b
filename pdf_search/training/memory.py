"""Whether and how a trial fits into memory, estimated before anything large is built.

What does not fit on the device falls back in this order: the data set's lists into host memory,
batches of predictions built anew in each epoch, fewer steps built at once, fewer replicates
together; then the trial is refused.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import psutil
import torch

from pdf_search.config import BasisConfig, TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.graphs import Bank, GraphSet, estimate_near_pairs, reach
from pdf_search.model import PairLayout
from pdf_search.parameters import parameter_count
from pdf_search.training.device import LARGEST_REUSED
from pdf_search.training.replicates import ReplicateSplits

BYTES_A_PAIR = 80  # of the bank and of the lists while they are made from it, measured on molhiv
# Bytes per triple, measured on ZINC and molhiv; the second value where pairs are listed one by one.
LISTED, LISTED_BY_PAIR = 25, 24  # of all lists that stay; the first value is that on the CPU
BUILT, BUILT_BY_PAIR = 120, 240  # of steps built ahead, with what building them takes
TABLES = 24  # bytes per row of the bank and step: tables from rows and weights to their places
SHARE = 0.8  # of the free memory; estimates are rough, and others use the machine too
AHEAD = 8 << 30  # most bytes for steps built ahead, so that trials can share a device

_estimates: dict[tuple[str, int], int] = {}

log = logging.getLogger("pdf_search")


def check_memory(config: TrialConfig, data: Prepared) -> None:
    """Check that the pairs, by their estimated size, fit into the host's free memory.

    Raises:
        TrialError: they do not; the message has the sizes and what to change.
    """
    graphs = data.graphs
    every = int((graphs.node_count**2).sum())
    pairs = _near_pairs(data, config.basis)
    if config.basis.hops is None and _listing(config, pairs, every).every_pair:
        pairs = every
    needed, free = pairs * BYTES_A_PAIR, psutil.virtual_memory().available
    log.info("%s: %s pairs, about %.2f GB, %.1f GB free", data.info.title, f"{pairs:,}",
             needed / 1e9, free / 1e9)  # fmt: skip
    if needed > free:
        raise TrialError(
            f"{data.info.title}: {pairs:,} pairs need about {needed / 1e9:.1f} GB, "
            f"{free / 1e9:.1f} GB are free. {_fewer_pairs(config.basis)}"
        )


def _fewer_pairs(basis: BasisConfig) -> str:
    if basis.hops is None:
        return (
            "Use hop support (basis.support: {hops: 1}), a smaller k, or without dropout the fast "
            "engine, which lists near pairs only"
        )
    fewer = "fewer hops (basis.support: {hops: 1}), or " if basis.hops > 1 else ""
    return f"Use {fewer}a machine with more memory: all graphs of the set are kept there"


def _near_pairs(data: Prepared, basis: BasisConfig) -> int:
    """Estimated once a process: it takes longer than all else that a small trial begins with."""
    key = (data.fingerprint, reach(basis))
    if key not in _estimates:
        _estimates[key] = estimate_near_pairs(data.graphs, basis)
    return _estimates[key]


def _listing(config: TrialConfig, near: int, supported: int) -> PairLayout:
    if config.engine == "reference":
        return PairLayout(every_pair=True, by_pair=True)
    return PairLayout.of(config.model, near, supported)


@dataclass(frozen=True)
class Footprint:
    """Estimated memory of a trial, in bytes."""

    lists: int  # of the whole data set
    state: int  # of a replicate: parameters, gradients, moments
    step: int  # of a replicate during a training step
    built: int  # of a replicate for each step that is built ahead
    kept: int = 0  # of a replicate: the batches of the parts it predicts in every epoch
    widest: int = 0  # of a replicate: a step's vectors of pairs, where pairs are listed one by one

    @classmethod
    def of(
        cls,
        config: TrialConfig,
        graphs: GraphSet,
        bank: Bank,
        parameters: int,
        predicted: int = 0,
    ) -> Footprint:
        """Estimate from the mean graph of the data set and the sizes of the model.

        ``predicted``: the number of graphs that a replicate predicts in every epoch.
        """
        nodes, bonds = int(graphs.node_count.sum()), len(graphs.edge_type)
        listing = _listing(config, len(bank.target), bank.supported)
        pairs = bank.supported if listing.every_pair else len(bank.target)
        triples = pairs + bonds + nodes
        batch = config.training.batch_size / max(len(graphs), 1)
        channels = _channels(config, nodes, bonds, pairs, listing.by_pair)
        rows = min(len(bank.rows), pairs * batch) * (8 + config.basis.size / config.model.hidden)
        listed, built = (LISTED_BY_PAIR, BUILT_BY_PAIR) if listing.by_pair else (LISTED, BUILT)
        share = predicted / max(len(graphs), 1)
        # All edge types of the data set in every step: in each layer, and for their gradient.
        types = len(graphs.edge_types) * (config.model.layers + 4)
        return cls(
            lists=triples * listed,
            state=parameters * 4 * 10,
            step=int((channels * batch + rows + types) * config.model.hidden * 4),
            built=int(triples * batch * built) + len(bank.rows) * TABLES,
            kept=int(triples * share * built),
            widest=int(pairs * batch * config.model.hidden * 4) * listing.by_pair,
        )


def _channels(config: TrialConfig, nodes: int, bonds: int, pairs: int, by_pair: bool) -> int:
    """Number of d-channel vectors that a step on the whole data set would keep for its gradient."""
    model = config.model
    weights = 8 * pairs if by_pair else 4 * nodes
    if config.engine == "reference":
        return model.layers * (3 * pairs + 12 * nodes) + 8 * pairs
    return model.layers * (12 * nodes + 4 * (nodes + bonds)) + weights


@dataclass(frozen=True)
class MemoryPlan:
    """Where the data lie, and how much is done at once."""

    lists: torch.device  # where the data set's lists lie and batches are built
    together: int  # replicates that train together
    at_once: int  # steps that are built at once
    kept: bool = False  # whether batches of predictions stay from epoch to epoch
    beside: bool = False  # whether an epoch's batches are made while the one before runs


def plan_memory(
    config: TrialConfig,
    data: Prepared,
    splits: ReplicateSplits,
    bank: Bank,
    device: torch.device,
) -> MemoryPlan:
    """Decide where the data lie, and how many replicates and steps are treated at once.

    Raises:
        TrialError: not even one replicate fits, or the lists fit nowhere.
    """
    shape = data.info.shape
    assert shape is not None, "a prepared data set knows its input shape"
    parameters = parameter_count(config.model, config.basis.size, shape)
    predicted = sum(max(map(len, splits.parts[p])) for p in splits.parts if p != "train")
    footprint = Footprint.of(config, splits.graphs, bank, parameters, predicted)
    longest = max(len(n) for n in splits.parts["train"])
    steps = -(-longest // config.training.batch_size)
    plan = decide(footprint, len(splits.replicates), steps, device, free_bytes(device))
    log.info(
        "%s: lists %.2f GB, a replicate's step %.2f GB, steps ahead %.3f GB each: lists on %s, "
        "%d of %d replicates together, %d of %d steps at once%s",
        data.info.title, footprint.lists / 1e9, footprint.step / 1e9, footprint.built / 1e9,
        plan.lists, plan.together, len(splits.replicates), plan.at_once, steps,
        ", batches of predictions kept" * plan.kept + ", the next epoch's beside" * plan.beside,
    )  # fmt: skip
    return plan


def decide(
    needs: Footprint, replicates: int, steps: int, device: torch.device, free: int
) -> MemoryPlan:
    """The plan that fits into the ``free`` bytes of the device, and into the host's memory.

    Raises:
        TrialError: none does.
    """
    room = int(SHARE * free) - replicates * needs.state
    gpu = device.type == "cuda"
    least = needs.step + needs.built * gpu
    fixed = 0 if gpu else needs.lists
    together = min(replicates, (room - fixed) // max(least, 1))
    if together < 1:
        raise TrialError(_too_large(needs, free))
    if not gpu and needs.widest <= LARGEST_REUSED:
        # Larger blocks are mapped anew, page by page, in each step. Where pairs are listed one by
        # one that took longer than all arithmetic (benchmarks/freed_memory.py).
        together = min(together, LARGEST_REUSED // max(needs.widest, 1))
    together = -(-replicates // -(-replicates // together))  # groups of one size
    if not gpu:
        return MemoryPlan(device, together, 1)
    room -= together * needs.step
    on_device = needs.lists + together * needs.built <= room
    if not on_device and needs.lists > SHARE * free_bytes(torch.device("cpu")):
        raise TrialError(_too_large(needs, free))
    ahead = min(AHEAD, room - needs.lists * on_device)
    kept = replicates * needs.kept  # of all groups, whichever trains
    keeps = kept + together * needs.built <= ahead
    ahead -= kept * keeps
    possible = ahead // max(together * needs.built, 1)
    at_once = max(1, min(steps, possible))
    at_once = -(-steps // -(-steps // at_once))
    beside = together == replicates and 2 * steps <= possible
    lists = device if on_device else torch.device("cpu")
    return MemoryPlan(lists, together, at_once, keeps, beside)


def free_bytes(device: torch.device) -> int:
    """Free memory in bytes: of a GPU, or of the host.

    On a GPU, memory that torch holds but does not use counts as free. Where the process may use a
    fraction of it, because trials share the GPU, that is the most.
    """
    if device.type != "cuda":
        return int(psutil.virtual_memory().available)
    used = torch.cuda.memory_allocated(device)
    free, total = torch.cuda.mem_get_info(device)
    own = int(torch.cuda.get_per_process_memory_fraction(device) * total)
    return min(int(free) + torch.cuda.memory_reserved(device), own) - used


def _too_large(needs: Footprint, free: int) -> str:
    one = needs.lists + needs.state + needs.step
    return (
        f"one replicate needs about {one / 1e9:.2f} GB (data {needs.lists / 1e9:.2f}, parameters "
        f"{needs.state / 1e9:.2f}, a training step {needs.step / 1e9:.2f}), {free / 1e9:.2f} GB "
        "are free. Use a smaller batch or model, hop support (basis.support: {hops: 1}), a "
        "smaller k, or a device with more memory"
    )
