"""One phase on Ray Tune: jobs in, rows out."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from ray import tune

from pdf_search.config import BasisConfig
from pdf_search.data.prepared import Prepared
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.sweep.cluster import nodes_differ
from pdf_search.sweep.halt import Halt
from pdf_search.sweep.jobs import Source
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.payload import NUMBER
from pdf_search.sweep.recorder import HaltStopper, Recorder
from pdf_search.sweep.resources import Resources
from pdf_search.sweep.searcher import JobSearcher
from pdf_search.sweep.trainable import Shared, TrialFunction, train

if TYPE_CHECKING:
    from ray.tune.experiment import Trial

    from pdf_search.sweep.scheduler import EqualEpochScheduler


class Runner:
    """Runs phases in the Ray session that is open.

    ``data``: the data sets by the names that jobs give; a sweep has one, named "". ``storage``:
    absolute folder or URI for checkpoints. ``function``: trains one trial; None for ``run_trial``.
    ``bases``: those that trials share.
    """

    def __init__(
        self,
        data: Mapping[str, Prepared],
        resources: Resources,
        storage: str,
        checkpoint_seconds: float,
        halt: Halt,
        function: TrialFunction | None = None,
        bases: tuple[BasisConfig, ...] = (),
    ) -> None:
        self.resources = resources
        self.storage = storage
        self.halt = halt
        self.shared = Shared(
            data={n: _in_memory(d) if nodes_differ() else str(d.folder) for n, d in data.items()},
            cpus=resources.cpus,
            gpus=resources.gpus,
            checkpoint_seconds=checkpoint_seconds,
            function=function,
            bases=bases,
        )

    def run(
        self, source: Source, ledger: Ledger, scheduler: EqualEpochScheduler | None = None
    ) -> None:
        """Train all jobs of the source, or until there is a reason to halt.

        Raises:
            Exception: what went wrong in the driver itself; a trial that fails is a row.
        """
        count = source.remaining()
        if not count or self.halt.due():
            return
        stopped = scheduler.stopped if scheduler is not None else set()
        callbacks: list[tune.Callback] = [Recorder(ledger, self.halt, stopped, self.storage)]
        trainable = tune.with_resources(
            tune.with_parameters(train, shared=self.shared),
            {"cpu": self.resources.cpus, "gpu": self.resources.gpus},
        )
        tuner = tune.Tuner(
            trainable,
            tune_config=tune.TuneConfig(
                search_alg=JobSearcher(source, ledger, self.halt),
                scheduler=scheduler,
                num_samples=count,
                max_concurrent_trials=self.resources.concurrent,
                reuse_actors=True,
                trial_dirname_creator=_FolderName(),
            ),
            run_config=tune.RunConfig(
                name=ledger.phase.value,
                storage_path=self.storage,
                callbacks=callbacks,
                stop=HaltStopper(self.halt, ledger),
                checkpoint_config=tune.CheckpointConfig(num_to_keep=1),
                failure_config=tune.FailureConfig(max_failures=0),
                verbose=0,
            ),
        )
        try:
            tuner.fit()
        except KeyboardInterrupt:  # a second signal: what runs is given up as it stands
            self.halt.interrupt()
            self.halt.due()
        finally:
            self.halt.in_order()
            if self.halt.ended or sys.exc_info()[0] is not None:
                ledger.interrupted()
        if self.halt.error is not None:
            raise self.halt.error


class _FolderName:
    """A folder of its own for each attempt: what a killed run left never mixes with it."""

    def __init__(self) -> None:
        self.run = secrets.token_hex(3)

    def __call__(self, trial: Trial) -> str:
        return f"{trial.config[NUMBER]:04d}-{self.run}"


def _in_memory(data: Prepared) -> Prepared:
    """The data set with plain arrays, which Ray's object store shares without copies."""
    fields = vars(data.graphs)
    arrays: dict[str, Any] = {
        k: np.asarray(v) if isinstance(v, np.ndarray) else v for k, v in fields.items()
    }
    return replace(data, graphs=GraphSet(**arrays))
