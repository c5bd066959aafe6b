"""One Ray session for a sweep or a study, and what runs trials in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import ceil

from pdf_search.config import BasisConfig
from pdf_search.data.prepared import Prepared
from pdf_search.data.raw_set import Progress, silent
from pdf_search.sweep import checkpoints
from pdf_search.sweep.cluster import check_nodes, ray_session
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.halt import PATIENCE, Halt
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.resources import Resources
from pdf_search.sweep.runner import Runner
from pdf_search.sweep.trainable import TrialFunction


@contextmanager
def session(
    folder: SweepFolder,
    options: SweepOptions,
    size: Resources,
    data: Mapping[str, Prepared],
    halt: Halt,
    function: TrialFunction | None,
    bases: tuple[BasisConfig, ...] = (),
    say: Progress = silent,
) -> Iterator[Runner]:
    """``data``, ``function``, ``bases``: see ``Runner``.

    Raises:
        ResourceError: the cluster is not fit for it.
    """
    storage = folder.storage(options.storage)
    if "://" not in storage:
        checkpoints.make(storage)
    cpus, gpus = size.cpus * size.concurrent, ceil(size.gpus * size.concurrent)
    with halt.on_signals(PATIENCE), ray_session(cpus, gpus, options.address, folder.log, say):
        halt.take_signals()
        if options.address is not None:
            check_nodes(storage)
        yield Runner(data, size, storage, options.checkpoint_seconds, halt, function, bases)
