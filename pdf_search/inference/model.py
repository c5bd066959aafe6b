"""A trained model to be used in Python: ``pdf_search.load(folder).predict([...])``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pdf_search.data import Dataset, Progress, Table, are_molecules
from pdf_search.errors import DataError
from pdf_search.inference.load import Trained
from pdf_search.inference.molecules import predict_molecules, prediction_columns
from pdf_search.inference.own_graphs import predict_graphs
from pdf_search.records import Task

NOTES = "notes"  # in ``DataFrame.attrs``


class Model:
    """A trained model with all its replicates, on the CPU."""

    def __init__(self, trained: Trained) -> None:
        self.trained = trained

    def predict(
        self, inputs: Sequence[str] | Sequence[Any] | Dataset, progress: Progress | None = None
    ) -> pd.DataFrame:
        """Predict molecules (SMILES) or graphs (PyG ``Data``, or a ``Dataset``), in their order.

        A row an input, as ``pdf-search predict`` writes it: ``predicted_T`` and ``spread_T`` for
        each target T, the mean and the population standard deviation over replicates, in the unit
        of the target or as a probability; for classes ``predicted_class``, ``probability_C`` and
        ``spread_C``; ``calibrated`` for probabilities; ``familiar`` (0 to 1) and ``unlike``; for
        molecules ``smiles`` and, where one cannot be read, ``reason``. What concerns several rows
        is in ``attrs["notes"]``, a list of sentences.

        Raises:
            DataError: the inputs are none that the model takes.
        """
        if isinstance(inputs, str):
            raise DataError("give a list of SMILES, also for a single molecule")
        if not isinstance(inputs, Dataset):
            inputs = list(inputs)
            if all(isinstance(item, str) for item in inputs):
                table = Table(
                    Path("the list"),
                    ("smiles",),
                    [[item] for item in inputs],
                    list(range(1, len(inputs) + 1)),
                )
                found = predict_molecules(self.trained, table, "smiles", progress)
                return self._noted(found.table, found.notes)
            inputs = Dataset.from_pyg(inputs)
        if are_molecules(self.trained.facts.info):
            raise DataError("the model was trained on molecules: give their SMILES")
        found = predict_graphs(self.trained, inputs.graphs, progress)
        return self._noted(found.table, found.notes)

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of the targets."""
        return self.trained.facts.target_names

    @property
    def task(self) -> Task:
        """The kind of the targets."""
        return self.trained.facts.info.task

    @property
    def replicates(self) -> int:
        """Over how many replicates mean and spread are taken."""
        return len(self.trained.replicates)

    def __repr__(self) -> str:
        columns = ", ".join(prediction_columns(self.trained))
        return f"Model({self.trained.facts.info.title}: {columns}; {self.replicates} replicates)"

    @staticmethod
    def _noted(table: pd.DataFrame, notes: Sequence[str]) -> pd.DataFrame:
        table.attrs[NOTES] = list(notes)
        return table
