"""Small trials, a recorder of what they report, and a data set of graphs made here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pdf_search.config import TrialConfig
from pdf_search.data import DatasetInfo, Prepared
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.records import EpochReport, Protocol, Task, TrialOutcome
from pdf_search.training.trial import Save, run_trial
from tests.graphs.makers import shape_of

MODEL = {"hidden": 8, "layers": 2, "filter_norm": True, "softmax": True}
TRAINING = {"epochs": 4, "batch_size": 16, "learning_rate": 5e-3, "standardise_targets": True}


def trial(
    name: str = "freesolv",
    *,
    fraction: float = 0.1,
    model: dict[str, Any] | None = None,
    training: dict[str, Any] | None = None,
    **changes: Any,
) -> TrialConfig:
    tree = {
        "data": {"name": name, "train_fraction": fraction},
        "basis": {"eps": (-0.2, -0.5), "k": (1, 3)},
        "model": {**MODEL, **(model or {})},
        "training": {**TRAINING, **(training or {})},
        "device": "cpu",
        **changes,
    }
    return TrialConfig.model_validate(tree)


def folded(protocol: str = "gin-curve", **changes: Any) -> TrialConfig:
    """A trial on MUTAG's ten folds."""
    return trial("mutag", protocol=protocol, folds=10, **changes)


class StopTrialError(Exception):
    pass


@dataclass
class Recorder:
    """Keeps the reports; saves after epoch ``save_at`` and stops after epoch ``stop_at``."""

    folder: Path | None = None
    save_at: int | None = None
    stop_at: int | None = None
    reports: list[EpochReport] = field(default_factory=list)

    def __call__(self, report: EpochReport, save: Save) -> None:
        self.reports.append(report)
        if self.folder is not None and report.epoch == self.save_at:
            save(self.folder)
        if report.epoch == self.stop_at:
            raise StopTrialError

    @property
    def curve(self) -> list[tuple[object, ...]]:
        """Everything reported but time and memory."""
        return [(r.epoch, r.learning_rate, r.replicates) for r in self.reports]


def run(
    config: TrialConfig, data: Prepared, resume: Path | None = None, **keep: Any
) -> tuple[Recorder, TrialOutcome]:
    recorder = Recorder(**keep)
    return recorder, run_trial(config, data, recorder, resume)


def made(
    graphs: GraphSet,
    train: list[int],
    valid: list[int],
    test: list[int],
    task: Task = Task.REGRESSION,
    metric: str = "mae",
    outputs: int | None = None,
) -> Prepared:
    """A prepared data set of these graphs with a fixed split."""
    outputs = outputs or graphs.targets.shape[1]
    info = DatasetInfo(
        "made", "Made", task, metric, Protocol.SPLIT, shape_of(graphs, outputs, task)
    )
    parts = {"train": train, "valid": valid, "test": test}
    return Prepared(
        folder=Path("nowhere"),
        info=info,
        graphs=graphs,
        fingerprint=graphs.fingerprint(),
        official={name: np.array(numbers, np.int64) for name, numbers in parts.items()},
        target_names=tuple(f"t{i}" for i in range(graphs.targets.shape[1])),
        part_hashes={name: str(numbers) for name, numbers in parts.items()},
    )


def with_targets(graphs: GraphSet, targets: np.ndarray) -> GraphSet:
    return replace(graphs, targets=targets.astype(np.float32))
