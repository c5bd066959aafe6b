"""Reads the pickles of the ZINC subset in the layout that PyG downloads."""

from __future__ import annotations

import io
import pickle
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.raw.raw_set import Progress, RawGraphs, RawSet
from pdf_search.errors import DataError
from pdf_search.wording import counted

_SPLITS = {"train": "train", "valid": "val", "test": "test"}  # part: its name in the files
TARGET = "logP_SA_cycle_normalized"
FILES = tuple(f"{name}.{kind}" for name in _SPLITS.values() for kind in ("pickle", "index"))
_DAMAGE = (
    pickle.UnpicklingError,
    EOFError,
    OSError,
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)


def read_zinc(folder: Path, say: Progress) -> RawSet:
    """Read the three pickles; training graphs are numbered first, then validation, then test.

    Raises:
        DataError: A pickle has anything but molecules as tensors, or an index file names a
            molecule that is not there.
    """
    runs, official, start, notes = [], {}, 0, list[str]()
    for ours, theirs in _SPLITS.items():
        say(f"reading ZINC/{theirs}")
        molecules, index = _subset(folder, theirs)
        run = _run(molecules)
        runs.append(run)
        if repeated := len(index) - len(set(index)):
            again = counted(repeated, "molecule")
            notes.append(f"{theirs}.index names {again} again: counted again")
        official[ours] = np.arange(start, start + len(run.node_count), dtype=np.int64)
        start += len(run.node_count)
    return RawSet(runs, (TARGET,), self_row=(1,), official=official, notes=tuple(notes))


def _subset(folder: Path, split: str) -> tuple[list[dict[str, Any]], list[int]]:
    """The molecules that the index file names, in its order, and the index."""
    path = folder / f"{split}.pickle"
    molecules = _load(path)
    index = _index(folder / f"{split}.index")
    if index and not 0 <= min(index) <= max(index) < len(molecules):
        raise DataError(
            f"{path} holds {counted(len(molecules), 'molecule')}, but {split}.index names molecule "
            f"{max(index)}: the pickles are already a subset; write 0..{len(molecules) - 1} into "
            "the index file, or get the full files"
        )
    return [_whole(molecules[i], path, i) for i in index], index


def _index(path: Path) -> list[int]:
    """Read the numbers of a subset's molecules, from 0, separated by commas or line ends.

    Raises:
        DataError: A cell is no number, or there is none at all.
    """
    lines = path.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    cells = [(n, cell.strip()) for n, line in enumerate(lines, 1) for cell in line.split(",")]
    wrong = [(n, cell) for n, cell in cells if cell and not (cell.isascii() and cell.isdigit())]
    if wrong:
        raise DataError(
            f"{path}, line {wrong[0][0]}: {wrong[0][1][:40]!r} is not a molecule's number"
        )
    index = [int(cell) for _, cell in cells if cell]
    if not index:
        raise DataError(f"{path} names no molecule")
    return index


def _whole(molecule: Any, path: Path, place: int) -> dict[str, Any]:
    """Check that an entry of a pickle is a molecule as ZINC has them, and return it.

    Raises:
        DataError: It is not.
    """
    try:
        atoms, bonds = len(molecule["atom_type"]), tuple(molecule["bond_type"].shape)
        codes = [np.asarray(molecule[key]) for key in ("atom_type", "bond_type")]
        fits = bonds == (atoms, atoms) and isfinite(float(molecule[TARGET]))
        fits = fits and all((code == np.floor(code)).all() for code in codes)
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, IndexError):
        raise DataError(
            f"{path}: molecule {place} has no atom_type, bond_type and {TARGET}: the pickle is of "
            "another data set"
        ) from None
    if not fits:
        raise DataError(
            f"{path}: molecule {place} has {atoms} atoms, bonds {bonds}, the target "
            f"{float(molecule[TARGET])}, or codes that are not whole: the file is damaged, get it "
            "again"
        )
    whole: dict[str, Any] = molecule
    return whole


def _run(molecules: list[dict[str, Any]]) -> RawGraphs:
    bonds = [molecule["bond_type"].numpy() for molecule in molecules]
    edges = [np.stack(np.nonzero(matrix)) for matrix in bonds]
    types = [matrix[place[0], place[1]] for matrix, place in zip(bonds, edges, strict=True)]
    atoms = [molecule["atom_type"].numpy() for molecule in molecules]
    targets = [float(molecule[TARGET]) for molecule in molecules]
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
    except (*_DAMAGE, RuntimeError) as error:  # torch raises RuntimeError
        raise DataError(f"{path} cannot be read: {error}") from None
    if not isinstance(molecules, list):
        raise DataError(f"{path} holds no list of molecules: it is of another data set")
    return molecules


class _TensorUnpickler(pickle.Unpickler):
    """Loads nothing but tensors in plain containers, so that a pickle cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        """See ``pickle.Unpickler.find_class``; refuses everything that tensors do not need."""
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
