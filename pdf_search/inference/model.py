"""A trained model to be used in Python: ``pdf_search.load(folder).predict([...])``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pdf_search.data import Dataset, Progress, Table, are_molecules, graphs_of
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
        ``spread_C``; ``calibrated`` for probabilities; ``familiar`` (0 to 1) and ``unlike``;
        ``reason`` where there is no prediction, such as a SMILES that is missing (None or nan) or
        cannot be read; for molecules ``smiles``. What concerns several rows is in
        ``attrs["notes"]``, a list of sentences.

        Raises:
            DataError: the inputs are none that the model takes.
        """
        if isinstance(inputs, pd.DataFrame | Mapping):
            raise DataError(
                f"a {type(inputs).__name__} is no list: give what is to be predicted, such as one "
                "of its columns, table['smiles']"
            )
        if are_molecules(self.trained.facts.info):
            found = predict_molecules(self.trained, _smiles_table(inputs), "smiles", progress)
        else:
            graphs = inputs.graphs if isinstance(inputs, Dataset) else graphs_of(inputs)
            found = predict_graphs(self.trained, graphs, progress)
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


def _smiles_table(inputs: Any) -> Table:
    """The SMILES of a list as a table; a missing one is an empty cell."""
    if isinstance(inputs, Dataset):
        raise DataError("the model was trained on molecules: give their SMILES, not graphs")
    if isinstance(inputs, str) or not isinstance(inputs, Iterable):
        raise DataError("give a list of SMILES, also for a single molecule")
    items = list(inputs)
    for number, item in enumerate(items):
        if not isinstance(item, str) and not _is_missing(item):
            raise DataError(
                f"item {number} of the list (counted from 0) is a {type(item).__name__}, not a "
                "SMILES: the model was trained on molecules, give their SMILES"
            )
    rows = [["" if _is_missing(item) else item] for item in items]
    return Table(Path("the list"), ("smiles",), rows, list(range(1, len(rows) + 1)))


def _is_missing(item: Any) -> bool:
    return bool(pd.api.types.is_scalar(item) and pd.isna(item))
