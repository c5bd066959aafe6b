"""What the plans of a searched sweep and of a listed one have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pdf_search.data import DatasetInfo, Prepared
from pdf_search.records import Metric
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.resources import Resources


@dataclass(frozen=True)
class Planned:
    """A data set, a metric, a length, and on what trials run."""

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
        return self.folder.name

    @property
    def device(self) -> str:
        return "cuda" if self.resources.gpus else "cpu"

    @property
    def facts(self) -> dict[str, Any]:
        """What the tables need to know of the data."""
        return {
            "unit": self.info.unit,
            "data_notes": list(self.data.notes),
            "targets": list(self.data.target_names),
            "prepared": str(self.data.folder),
        }
