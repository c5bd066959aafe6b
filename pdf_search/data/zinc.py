"""Reader of the ZINC subset's pickles, in the layout that PyG downloads."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.raw_set import Progress, RawGraphs, RawSet
from pdf_search.errors import DataError

_SPLITS = {"train": "train", "valid": "val", "test": "test"}  # our word: theirs
FILES = tuple(f"{name}.{kind}" for name in _SPLITS.values() for kind in ("pickle", "index"))


def read_zinc(folder: Path, say: Progress) -> RawSet:
    """Read the three pickles; graphs are numbered train, valid, test.

    Raises:
        DataError: a pickle that holds anything but tensors, or an index beyond its end.
    """
    runs, official, start = [], {}, 0
    for ours, theirs in _SPLITS.items():
        say(f"reading ZINC/{theirs}")
        run = _run(_subset(folder, theirs))
        runs.append(run)
        official[ours] = np.arange(start, start + len(run.node_count), dtype=np.int64)
        start += len(run.node_count)
    return RawSet(runs, ("logP_SA_cycle_normalized",), self_row=(1,), official=official)


def _subset(folder: Path, split: str) -> list[dict[str, Any]]:
    path = folder / f"{split}.pickle"
    molecules = _load(path)
    text = (folder / f"{split}.index").read_text()
    index = [int(cell) for cell in text.replace("\n", ",").split(",") if cell.strip()]
    if index and not 0 <= min(index) <= max(index) < len(molecules):
        raise DataError(
            f"{path} holds {len(molecules)} molecules, but {split}.index names molecule "
            f"{max(index)}: the pickles are already a subset; write 0..{len(molecules) - 1} into "
            "the index file, or get the full files"
        )
    return [molecules[i] for i in index]


def _run(molecules: list[dict[str, Any]]) -> RawGraphs:
    bonds = [molecule["bond_type"].numpy() for molecule in molecules]
    edges = [np.stack(np.nonzero(matrix)) for matrix in bonds]
    types = [matrix[place[0], place[1]] for matrix, place in zip(bonds, edges, strict=True)]
    atoms = [molecule["atom_type"].numpy() for molecule in molecules]
    targets = [float(molecule["logP_SA_cycle_normalized"]) for molecule in molecules]
    return RawGraphs(
        node_count=_lengths(atoms),
        nodes=np.concatenate(atoms).astype(np.int64).reshape(-1, 1),
        edge_count=_lengths(types),
        edges=np.concatenate(edges, axis=1),
        edge_features=np.concatenate(types).astype(np.int64).reshape(-1, 1),
        targets=np.array(targets, np.float32).reshape(-1, 1),
    )


def _lengths(arrays: list[NDArray[Any]]) -> NDArray[np.int64]:
    return np.array([len(array) for array in arrays], np.int64)


def _load(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            molecules: list[dict[str, Any]] = _TensorUnpickler(file).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    return molecules


class _TensorUnpickler(pickle.Unpickler):
    """Loads tensors in plain containers and nothing else, so a pickle cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return _load_storage
        if (module, name) in (
            ("torch._utils", "_rebuild_tensor_v2"),
            ("collections", "OrderedDict"),
        ):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it holds {module}.{name}, and only tensors are expected")


def _load_storage(data: bytes) -> Any:
    import torch  # noqa: PLC0415

    return torch.load(io.BytesIO(data), weights_only=True)
