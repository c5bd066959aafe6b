"""Predictions for graphs of one's own that are no molecules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from pdf_search.config import CategoricalInput, InputShape, LinearInput, NoInput
from pdf_search.data import EDGE_CODES, OwnGraphs, Progress, graph_set_of, raw_graphs, silent
from pdf_search.errors import DataError
from pdf_search.graphs import Array
from pdf_search.inference.load import Trained
from pdf_search.inference.marks import Marks, unlike_notes
from pdf_search.inference.molecules import CHUNK, Predicted, Values, calibration_notes, columns_of
from pdf_search.inference.predict import predictions
from pdf_search.wording import counted

_SHOWN = 5  # graphs that a message names


def predict_graphs(
    trained: Trained, graphs: OwnGraphs, progress: Progress | None = None
) -> Predicted:
    """Predict graphs with all replicates of ``trained``; their targets, if any, are not used.

    The table has the number of each graph, from 0, and the columns of ``Predicted``.

    Raises:
        DataError: The graphs have other features than those of the training, or other codes.
    """
    shape = trained.facts.info.shape
    assert shape is not None
    graphs, notes = _fitting(graphs, shape)
    values, say = Values.none(trained, len(graphs)), progress or silent
    marks = Marks(trained.facts.domain, len(graphs), "node")
    node_ptr, edge_ptr = (np.concatenate([[0], np.cumsum(c)]) for c in _counts(graphs))
    reasons: dict[int, str] = {}
    for start in range(0, len(graphs), CHUNK):
        stop = min(start + CHUNK, len(graphs))
        part = _part(graphs, start, stop, node_ptr, edge_ptr)
        known = graph_set_of(raw_graphs(part), part.self_row)
        reasons |= values.put(np.arange(start, stop), predictions(trained, known))
        marks.add(np.arange(start, stop), known)
        if len(graphs) > CHUNK:
            say(f"predicted {stop:,} of {counted(len(graphs), 'graph')}")
    marked = marks.columns({})
    columns = columns_of(trained, values) | marked
    columns["reason"] = [reasons.get(i, "") for i in range(len(graphs))]
    table = pd.DataFrame({"graph": np.arange(len(graphs)), **columns})
    notes = [*notes, *calibration_notes(trained), *unlike_notes(marked["unlike"], "graph")]
    return Predicted(table, len(trained.replicates), len(reasons), tuple(notes))


def _counts(graphs: OwnGraphs) -> tuple[Array, Array]:
    return graphs.node_count, graphs.edge_count


def _part(graphs: OwnGraphs, start: int, stop: int, node_ptr: Array, edge_ptr: Array) -> OwnGraphs:
    nodes = slice(int(node_ptr[start]), int(node_ptr[stop]))
    edges = slice(int(edge_ptr[start]), int(edge_ptr[stop]))
    features = graphs.edge_features
    return replace(
        graphs,
        node_count=graphs.node_count[start:stop],
        nodes=graphs.nodes[nodes],
        edge_count=graphs.edge_count[start:stop],
        edges=graphs.edges[:, edges],
        edge_features=None if features is None else features[edges],
        targets=np.full((stop - start, 1), np.nan),
    )


def _fitting(graphs: OwnGraphs, shape: InputShape) -> tuple[OwnGraphs, list[str]]:
    """The graphs as the model takes them, with notes on what it does not take."""
    _check("node", graphs.nodes, graphs.node_input, shape.nodes, graphs.node_count)
    if isinstance(shape.edges, NoInput):
        dropped = graphs.edge_features is not None
        notes = ["edge features are not used: the model was trained without any"] if dropped else []
        return replace(graphs, edge_features=None), notes
    if graphs.edge_features is None:
        raise DataError("the graphs have no edge features, those of the training have")
    coded = graphs.coded_edge_features
    assert coded is not None
    assert not isinstance(graphs.edge_input, NoInput)
    _check("edge", coded, graphs.edge_input, shape.edges, graphs.edge_count, EDGE_CODES)
    return graphs, []


def _check(
    what: str,
    values: Array,
    given: CategoricalInput | LinearInput,
    wanted: CategoricalInput | LinearInput,
    counts: Array,
    shift: int = 0,
) -> None:
    """Refuse other features. ``shift``: by how much a code is above that of the user's."""
    if given.kind != wanted.kind or values.shape[1] != _width(wanted):
        raise DataError(
            f"the graphs have {_words(what, given)}, those of the training {_words(what, wanted)}"
        )
    if not isinstance(wanted, CategoricalInput) or not len(values):
        return
    rows, columns = np.nonzero(values >= np.array(wanted.sizes))
    if len(rows):
        graphs = np.unique(np.searchsorted(np.cumsum(counts), rows, side="right"))
        shown = ", ".join(map(str, graphs[:_SHOWN])) + (", ..." if len(graphs) > _SHOWN else "")
        code = int(values[rows[0], columns[0]]) - shift
        raise DataError(
            f"{counted(len(graphs), 'graph')} ({shown}, counted from 0) with {what} features that "
            f"no graph of the training has, such as {code} in column {int(columns[0])}: such a "
            "code has no embedding; leave these graphs out"
        )


def _width(spec: CategoricalInput | LinearInput) -> int:
    return len(spec.sizes) if isinstance(spec, CategoricalInput) else spec.features


def _words(what: str, spec: CategoricalInput | LinearInput) -> str:
    kind = "integer" if isinstance(spec, CategoricalInput) else "real"
    return counted(_width(spec), f"{kind} {what} feature")
