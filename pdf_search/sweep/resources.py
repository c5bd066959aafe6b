"""Counts the CPUs and GPUs of the machine or cluster, and how many trials fit on them at once."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

from pdf_search.errors import ResourceError
from pdf_search.sweep.options import SweepOptions
from pdf_search.wording import counted


@dataclass(frozen=True)
class Node:
    """A machine of the cluster, with its CPUs and GPUs."""

    name: str
    cpus: float
    gpus: float

    def fits(self, cpus: float, gpus: float) -> int:
        """How many trials that need so many CPUs and GPUs fit on this node at once."""
        by_cpu = floor(self.cpus / cpus + 1e-9)
        return min(by_cpu, floor(self.gpus) * trials_a_gpu(gpus)) if gpus else by_cpu


def trials_a_gpu(gpus: float) -> int:
    """How many trials share a GPU where each gets the fraction ``gpus``: none is on two GPUs."""
    return floor(1 / gpus + 1e-9)


@dataclass(frozen=True)
class Resources:
    """The CPUs and GPUs of each trial, how many trials run at once, and the cluster's host:port."""

    cpus: int
    gpus: float
    concurrent: int
    address: str | None = None

    @property
    def gpus_in_use(self) -> int:
        """How many GPUs the trials that run at once are on."""
        return ceil(self.concurrent / trials_a_gpu(self.gpus)) if self.gpus else 0

    def words(self, unit: str) -> str:
        """In words, for a ``unit`` such as "trial"; on this machine with what its GPU lacks."""
        gpus = f" and {self.gpus:g} GPU" if self.gpus else ""
        where = f" on the Ray at {self.address}" if self.address else ""
        plain = None if self.address or not self.gpus else _why_plain_torch()
        kernels = f"; plain torch, slower than our kernels: {plain}" if plain else ""
        return f"{self.cpus} CPU{gpus} a {unit}, {self.concurrent} at once{where}{kernels}"


def this_machine() -> Node:
    """This machine, with the CPUs that this process may use and the GPUs that torch sees."""
    from torch.cuda import device_count  # noqa: PLC0415

    return Node(socket.gethostname(), usable_cpus(), device_count())


def _why_plain_torch() -> str | None:
    from torch import device  # noqa: PLC0415

    from pdf_search.kernels import why_plain_torch_apart  # noqa: PLC0415

    return why_plain_torch_apart(device("cuda"))


def usable_cpus() -> int:
    """The CPUs that this process may use, by its affinity and its container's limit; at least 1."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = _container_cpus(Path("/sys/fs/cgroup/cpu.max"))
    return max(1, min(affinity or 1, quota or affinity or 1))


def _container_cpus(file: Path) -> int | None:
    try:
        quota, period = file.read_text().split()
    except (OSError, ValueError):
        return None
    return None if quota == "max" else max(1, int(quota) // int(period))


def settle_resources(options: SweepOptions, nodes: list[Node], trials: int) -> Resources:
    """Settle the CPUs and GPUs of a trial, and how many trials run at once.

    Without ``--gpus-per-trial``, a trial gets a GPU if any node has one. Without ``--concurrent``,
    as many trials run at once as fit.

    Raises:
        ResourceError: these nodes do not have it.
    """
    cpus = options.cpus_per_trial
    gpus = options.gpus_per_trial
    if gpus is None:
        gpus = 1.0 if any(node.gpus for node in nodes) else 0.0
    fits = capacity(nodes, cpus, gpus)
    wanted = options.concurrent
    if wanted is not None and wanted > fits:
        raise ResourceError(
            f"--concurrent {wanted}: there is room for {counted(fits, 'trial')} of {cpus} CPU and "
            f"{gpus:g} GPU. Use --concurrent {fits}, or less for each trial."
        )
    return Resources(cpus, gpus, wanted or min(fits, max(trials, 1)))


def capacity(nodes: Sequence[Node], cpus: float, gpus: float) -> int:
    """How many trials of this size fit on all nodes together.

    Raises:
        ResourceError: no node has room for a single trial. The message names the largest node and
            the remedy.
    """
    most_gpus = max((node.gpus for node in nodes), default=0)
    if gpus > most_gpus:
        have = f"{most_gpus:g} GPU{'s' * (most_gpus != 1)}" if most_gpus else "no GPU"
        raise ResourceError(
            f"--gpus-per-trial {gpus:g}: the largest of {counted(len(nodes), 'node')} has {have}. "
            f"Use --gpus-per-trial {most_gpus:g}, or --address of a cluster that has them."
        )
    total = sum(node.fits(cpus, gpus) for node in nodes)
    if not total:
        most = max((node.cpus for node in nodes), default=0)
        have = f"{most:g} CPU{'s' * (most != 1)}"
        raise ResourceError(
            f"--cpus-per-trial {cpus:g}: the largest of {counted(len(nodes), 'node')} has {have}. "
            f"Use --cpus-per-trial {most:g} or less."
        )
    return total
