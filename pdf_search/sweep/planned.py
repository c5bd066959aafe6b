"""The part of a plan that searched and listed sweeps have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pdf_search.data import TASK_METRICS, DatasetInfo, Prepared, metric_problem
from pdf_search.errors import ConfigError
from pdf_search.records import METRICS, Metric
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.resources import Resources


@dataclass(frozen=True)
class Planned:
    """A plan's data set, metric, epochs a trial, and the resources that trials run on."""

    options: SweepOptions
    folder: SweepFolder
    info: DatasetInfo
    data: Prepared
    split_hash: str
    metric: Metric
    epochs: int
    resources: Resources

    @property
    def name(self) -> str:
        """The name of the sweep in the database."""
        return self.folder.name

    @property
    def device(self) -> str:
        """The device that trials run on: "cuda" if they get a GPU, else "cpu"."""
        return "cuda" if self.resources.gpus else "cpu"

    @property
    def facts(self) -> dict[str, Any]:
        """What is recorded of the data: for the tables, and for a resume to find it."""
        return {
            "unit": self.info.unit,
            "data_notes": list(self.data.notes),
            "targets": list(self.data.target_names),
            "classes": list(self.data.class_names),
            "prepared": str(self.data.folder),
        }


def find_metric(name: str, info: DatasetInfo) -> Metric:
    """The metric of that name.

    Raises:
        ConfigError: it is a test metric, unknown, or does not fit the data set's task.
    """
    what = f"{info.task} ({info.title})"
    problem = metric_problem(name, TASK_METRICS[info.task], what)
    if problem:
        raise ConfigError(f"--metric: {problem}")
    return METRICS[name]
