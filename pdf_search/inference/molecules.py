"""Predictions for a table of molecules: the mean and spread over replicates for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdf_search.data import (
    Kinds,
    Progress,
    Table,
    Unseen,
    are_molecules,
    isotope_notes,
    molecule_graphs,
    silent,
)
from pdf_search.errors import ConfigError, DataError
from pdf_search.inference.load import Trained
from pdf_search.inference.marks import MARKS, Marks, unlike_notes
from pdf_search.inference.predict import predictions
from pdf_search.records import Task
from pdf_search.wording import counted

Floats = NDArray[np.float64]
NOT_FINITE = "the model's output for it is not finite"  # a reason
CHUNK = 2_000  # rows whose graphs are in memory at once
_NOT_RECORDED = "the model does not record which elements and bond types its training data have"


@dataclass(frozen=True)
class Predicted:
    """A table of molecules with the predictions in new columns after its own.

    Column ``familiar`` is the share of atoms (nodes) whose like a training graph has, and
    ``unlike`` says what is strange about a row; see ``pdf_search.data.Domain``. For molecules it
    names the elements and bond types that no training molecule has, too.
    Each target T has the columns ``predicted_T`` (a value, or the probability of label 1) and
    ``spread_T``. A multi-class task has ``predicted_class`` instead, and for each class C the
    columns ``probability_C`` and ``spread_C``. A spread is the population standard deviation over
    the replicates; it is empty for a single replicate. Column ``calibrated`` says whether the
    probabilities are, yes or no; it is empty where there are none. Column ``reason`` says why a row
    has no prediction.

    ``notes`` tell of the calibration, of the elements and bond types that no training molecule has,
    and of molecules with isotope labels.
    """

    table: pd.DataFrame
    replicates: int
    wrong: int  # rows without a prediction
    notes: tuple[str, ...] = ()


def predict_molecules(
    trained: Trained, table: Table, smiles: str, progress: Progress | None = None
) -> Predicted:
    """Predict the molecules of column ``smiles`` with all replicates of ``trained``.

    A row whose SMILES cannot be read, or whose output is not finite, has empty predictions and a
    reason.

    Raises:
        ConfigError: the run was not trained on molecules read from SMILES.
        DataError: the table has no such column, or already has one of the columns to be added.
    """
    _check_molecules(trained)
    cells = [cell.strip() for cell in table.column(smiles, "--smiles")]
    names = prediction_columns(trained)
    _check_new(table, [*names, *MARKS, "reason"])
    say, seen = progress or silent, trained.facts.seen
    values, unseen = Values.none(trained, len(cells)), Unseen(seen or Kinds((), ()))
    marks = Marks(trained.facts.domain, len(cells), "atom")
    reasons: dict[int, str] = {}
    for start in range(0, len(cells), CHUNK):
        chunk = cells[start : start + CHUNK]
        graphs, places, wrong = molecule_graphs(chunk, silent, trained.facts.featuriser)
        reasons |= {start + place: why for place, why in wrong.items()}
        if graphs is not None:
            reasons |= values.put(start + places, predictions(trained, graphs))
            marks.add(start + places, graphs)
            if seen is not None:
                unseen.add(graphs, [table.lines[start + i] for i in places])
        if len(cells) > CHUNK:
            say(f"predicted {start + len(chunk):,} of {counted(len(cells), 'row')}")
    reasons = {i: table.unreadable.get(table.lines[i], why) for i, why in reasons.items()}
    columns = columns_of(trained, values)
    unlike = unseen.by_line()
    marked = marks.columns({i: unlike.get(line, "") for i, line in enumerate(table.lines)})
    columns |= marked
    columns["reason"] = [reasons.get(i, "") for i in range(len(cells))]
    readable = [i for i in range(len(cells)) if i not in reasons]
    notes = calibration_notes(trained)
    notes += unseen.notes() if seen is not None or not readable else [_NOT_RECORDED]
    notes += unlike_notes(marked["unlike"], "row")
    notes += isotope_notes([cells[i] for i in readable], [table.lines[i] for i in readable])
    own = pd.DataFrame(table.rows, columns=list(table.columns))
    count = len(trained.replicates)
    return Predicted(own.assign(**columns), count, len(reasons), tuple(notes))


@dataclass(frozen=True)
class Values:
    """Mean and spread over the replicates, each [rows, outputs]; nan without a prediction.

    A single replicate has no spread.
    """

    mean: Floats
    spread: Floats

    @classmethod
    def none(cls, trained: Trained, rows: int) -> Values:
        """Return values for so many rows, all without a prediction."""
        shape = (rows, len(_names(trained)))
        return cls(np.full(shape, np.nan), np.full(shape, np.nan))

    def put(self, places: NDArray[np.int64], each: Floats) -> dict[int, str]:
        """Fill in the rows ``places`` with the values of every replicate, [R, n, outputs].

        A row of which some value is not finite stays without a prediction; returns the reason of
        each such row.
        """
        finite = np.isfinite(each).all((0, 2))
        kept, each = places[finite], each[:, finite]
        self.mean[kept] = each.mean(0)
        if len(each) > 1:
            self.spread[kept] = each.std(0)
        return dict.fromkeys(places[~finite].tolist(), NOT_FINITE)


def prediction_columns(trained: Trained) -> list[str]:
    """Return the names of the columns that ``columns_of`` gives."""
    return list(columns_of(trained, Values.none(trained, 0)))


def columns_of(trained: Trained, values: Values) -> dict[str, Any]:
    """Return the predictions as columns of a table; see ``Predicted``."""
    names, mean, spread = _names(trained), values.mean, values.spread
    multiclass = trained.facts.info.task is Task.MULTICLASS
    columns: dict[str, Any] = {}
    known = np.asarray(np.isfinite(mean).all(1))
    if multiclass:
        best = np.where(known, np.nan_to_num(mean).argmax(1), -1)
        columns["predicted_class"] = [names[i] if i >= 0 else "" for i in best]
    for number, name in enumerate(names):
        columns[f"probability_{name}" if multiclass else f"predicted_{name}"] = mean[:, number]
        columns[f"spread_{name}"] = spread[:, number]
    if trained.calibration is not None:
        said = "no" if trained.calibration.why_not else "yes"
        columns["calibrated"] = [said if there else "" for there in known]
    return columns


def calibration_notes(trained: Trained) -> list[str]:
    """A note on whether the probabilities are calibrated; none for a regression."""
    return [] if trained.calibration is None else [trained.calibration.words]


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
            "needs a run on a table of molecules, freesolv or an ogbg-mol... data set, or a file "
            "of graphs if the run is on your own graphs"
        )


def _check_new(table: Table, new: list[str]) -> None:
    taken = sorted(set(new) & set(table.columns))
    if taken:
        raise DataError(
            f"{table.path} has columns that the predictions would be written to: "
            f"{', '.join(taken)}; rename them"
        )
