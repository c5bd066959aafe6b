"""Settles the size of trials on the machine or cluster that a sweep or study will run on."""

from __future__ import annotations

from dataclasses import replace

from pdf_search.data import Progress, silent
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.resources import Resources, settle_resources, this_machine


def settled_resources(
    options: SweepOptions, trials: int, progress: Progress | None = None
) -> Resources:
    """Settle the size of trials on the Ray of this process, of ``--address``, or this machine.

    Raises:
        ConfigError: a trial cannot use such a size, or a sweep such an address.
        ResourceError: the cluster or machine does not have it, or does not answer.
    """
    from pdf_search.sweep.tune.cluster.address import cluster_address  # noqa: PLC0415
    from pdf_search.sweep.tune.ray_session import (  # noqa: PLC0415
        cluster_nodes,
        describe_cluster,
        ray_runs,
    )

    if options.address is None:
        nodes = cluster_nodes() if ray_runs() else [this_machine()]
        return settle_resources(options, nodes, trials)
    address = cluster_address(options.address)
    nodes = describe_cluster(address, progress or silent)
    return replace(settle_resources(options, nodes, trials), address=address)
