"""Reads a folder of one's own in the TU collection's format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pdf_search.data.own_graphs.own_graphs import OwnGraphs
from pdf_search.data.raw.number_table import read_labels
from pdf_search.data.raw.tu import read_tu
from pdf_search.errors import DataError

_MARK = "_graph_indicator.txt"


def find_tu(folder: Path) -> tuple[Path, str] | None:
    """Return the folder of ``NAME_graph_indicator.txt``, here or in ``raw``, and NAME.

    None if there is no such file.

    Raises:
        DataError: There are several.
    """
    for place in (folder, folder / "raw"):
        found = sorted(place.glob(f"*{_MARK}")) if place.is_dir() else []
        if len(found) > 1:
            names = ", ".join(path.name.removesuffix(_MARK) for path in found)
            raise DataError(f"{place} holds several data sets in TU format: {names}; keep one")
        if found:
            return place, found[0].name.removesuffix(_MARK)
    return None


def read_tu_folder(folder: Path) -> OwnGraphs:
    """Read a folder in TU format; its classes are the targets.

    Node labels are codes, so that another folder with the same labels means the same.

    Raises:
        DataError: There is no such data set, or its files contradict each other.
    """
    found = find_tu(folder)
    if found is None:
        raise DataError(f"{folder} holds no data set in TU format: no file NAME{_MARK}")
    place, name = found
    raw = read_tu(place, name)
    (run,) = raw.runs
    nodes, labels = run.nodes, place / f"{name}_node_labels.txt"
    if labels.is_file() and not (place / f"{name}_node_attributes.txt").is_file():
        nodes = _codes(labels, place / f"{name}{_MARK}")
    return OwnGraphs(
        node_count=run.node_count,
        nodes=nodes,
        edge_count=run.edge_count,
        edges=run.edges,
        edge_features=None,
        targets=run.targets.astype(np.float64),
        target_names=raw.target_names,
        whole=True,
        class_names=raw.class_names,
        notes=raw.notes,
    )


def _codes(labels: Path, indicator: Path) -> np.ndarray:
    """The node labels [n, L] in the order of the graphs, as ``read_tu`` has the nodes."""
    codes = read_labels(labels)
    if codes.min() < 0:
        raise DataError(f"{labels}: node labels are codes from 0, here the lowest is {codes.min()}")
    order = np.argsort(read_labels(indicator, columns=1)[:, 0], kind="stable")
    return np.asarray(codes[order], np.int64)
