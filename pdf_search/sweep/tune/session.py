"""One Ray session for a sweep or a study, and what runs trials in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

from pdf_search.data import Progress, silent
from pdf_search.stop_condition import PATIENCE, StopCondition
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.machine import Resources
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.tune import checkpoints
from pdf_search.sweep.tune.cluster import check_nodes, ray_session
from pdf_search.sweep.tune.runner import Runner
from pdf_search.sweep.tune.trainable import Shared


@contextmanager
def session(
    folder: SweepFolder,
    options: SweepOptions,
    size: Resources,
    shared: Shared,
    stop_condition: StopCondition,
    say: Progress = silent,
) -> Iterator[Runner]:
    """``shared``: what all trials have in common, with the data sets as they were prepared.

    Raises:
        ResourceError: the cluster is not fit for it.
    """
    storage = folder.storage(options.storage)
    if "://" not in storage:
        checkpoints.make(storage)
    cpus, gpus = size.cpus * size.concurrent, ceil(size.gpus * size.concurrent)
    with (
        stop_condition.on_signals(PATIENCE),
        ray_session(cpus, gpus, options.address, folder.log, say),
    ):
        stop_condition.take_signals()
        if options.address is not None:
            check_nodes(storage)
        yield Runner(shared, size, storage, stop_condition)
