"""Predictions for a table of molecules: the mean and spread over replicates for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdf_search.data import (
    Progress,
    Table,
    are_molecules,
    isotope_notes,
    molecule_graphs,
    silent,
    unseen_notes,
)
from pdf_search.errors import ConfigError, DataError
from pdf_search.graphs import GraphSet
from pdf_search.inference.load import Trained
from pdf_search.inference.predict import predictions
from pdf_search.records import Task

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Predicted:
    """A table of molecules with the predictions in new columns after its own.

    Each target T has the columns ``predicted_T`` (a value, or the probability of label 1) and
    ``spread_T``. A multi-class task has ``predicted_class`` instead, and for each class C the
    columns ``probability_C`` and ``spread_C``. A spread is the population standard deviation over
    the replicates; it is empty for a single replicate. Column ``reason`` says why a row has no
    prediction.

    ``notes`` name the elements and bond types that no training molecule has, and the molecules
    with isotope labels.
    """

    table: pd.DataFrame
    replicates: int
    wrong: int  # rows without a prediction
    notes: tuple[str, ...] = ()


def predict_molecules(
    trained: Trained, table: Table, smiles: str, progress: Progress | None = None
) -> Predicted:
    """Predict the molecules of column ``smiles`` with all replicates of ``trained``.

    A row whose SMILES cannot be read has empty predictions and a reason.

    Raises:
        ConfigError: the run was not trained on molecules read from SMILES.
        DataError: the table has no such column, or already has one of the columns to be added.
    """
    _check_molecules(trained)
    cells = [cell.strip() for cell in table.column(smiles, "--smiles")]
    version = trained.facts.featuriser
    graphs, places, reasons = molecule_graphs(cells, progress or silent, version)
    outputs = len(_names(trained))
    mean, spread = (np.full((len(table.rows), outputs), np.nan) for _ in range(2))
    notes: list[str] = []
    if graphs is not None:
        notes = _notes(
            trained, graphs, [cells[i] for i in places], [table.lines[i] for i in places]
        )
        rows = predictions(trained, graphs)  # [R, G, outputs]
        mean[places] = rows.mean(0)
        if len(rows) > 1:  # a single replicate has no spread
            spread[places] = rows.std(0)
    columns = _columns(trained, mean, spread)
    columns["reason"] = [reasons.get(i, "") for i in range(len(table.rows))]
    _check_new(table, list(columns))
    own = pd.DataFrame(table.rows, columns=list(table.columns))
    count = len(trained.replicates)
    return Predicted(own.assign(**columns), count, len(reasons), tuple(notes))


def _notes(
    trained: Trained, graphs: GraphSet, cells: Sequence[str], lines: Sequence[int]
) -> list[str]:
    seen = trained.facts.seen
    if seen is None:
        unseen = ["the model does not record which elements and bond types its training data have"]
    else:
        unseen = unseen_notes(graphs, lines, seen)
    return [*unseen, *isotope_notes(cells, lines)]


def _columns(trained: Trained, mean: Floats, spread: Floats) -> dict[str, Any]:
    names = _names(trained)
    multiclass = trained.facts.info.task is Task.MULTICLASS
    columns: dict[str, Any] = {}
    if multiclass:
        known = ~np.isnan(mean).any(1)
        best = np.where(known, np.nan_to_num(mean).argmax(1), -1)
        columns["predicted_class"] = [names[i] if i >= 0 else "" for i in best]
    for number, name in enumerate(names):
        columns[f"probability_{name}" if multiclass else f"predicted_{name}"] = mean[:, number]
        columns[f"spread_{name}"] = spread[:, number]
    return columns


def _names(trained: Trained) -> tuple[str, ...]:
    """Names of the model's outputs: the targets, or the classes of a multi-class task."""
    shape = trained.facts.info.shape
    assert shape is not None
    if trained.facts.info.task is not Task.MULTICLASS:
        return trained.facts.target_names
    return trained.facts.class_names or tuple(map(str, range(shape.outputs)))


def _check_molecules(trained: Trained) -> None:
    info = trained.facts.info
    if not are_molecules(info):
        raise ConfigError(
            f"the run was trained on {info.title}, whose atoms are not read from SMILES: predict "
            "needs a run on a CSV file of molecules, freesolv or an ogbg-mol... data set"
        )


def _check_new(table: Table, new: list[str]) -> None:
    taken = sorted(set(new) & set(table.columns))
    if taken:
        raise DataError(
            f"{table.path} has columns that the predictions would be written to: "
            f"{', '.join(taken)}; rename them"
        )
