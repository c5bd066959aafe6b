"""Loads a list of PyG ``Data`` from a file of ``torch.save`` without executing its pickle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pdf_search.errors import DataError
from pdf_search.imports import quietly

_HOW = (
    "in Python, where the graphs are at hand: pdf_search.Dataset.from_pyg(list(graphs))"
    ".save('graphs.npz')"
)


def load_pt(path: Path) -> list[Any]:
    """Return the graphs of a file that ``torch.save(list_of_data, path)`` wrote.

    Only tensors, plain containers and PyG's ``Data`` are built; anything else in the file is
    refused and not run.

    Raises:
        DataError: The file holds something else, or is damaged. The message says how to convert it.
    """
    import torch  # noqa: PLC0415

    with quietly():
        from torch_geometric.data import Data  # noqa: PLC0415
        from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr  # noqa: PLC0415
        from torch_geometric.data.storage import GlobalStorage  # noqa: PLC0415
    known = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]
    try:
        with torch.serialization.safe_globals(known):
            found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a foreign file makes the restricted unpickler raise
        raise DataError(
            f"{path} cannot be read without running code that it may hold: it is no list of "
            f"torch_geometric.data.Data saved by torch.save, or damaged ({_first(error)}). Convert "
            f"it {_HOW}"
        ) from None
    if not isinstance(found, list | tuple) or not all(isinstance(graph, Data) for graph in found):
        raise DataError(
            f"{path} holds a {type(found).__name__}, not a list of torch_geometric.data.Data; a "
            f"processed data set is converted {_HOW}"
        )
    return list(found)


def _first(error: Exception) -> str:
    """The reason in a message of torch, without its advice to load the file all the same."""
    text = str(error)
    reason = text.partition("WeightsUnpickler error:")[2] or text
    return reason.strip().split("\n")[0].split(". ")[0] or type(error).__name__
