"""Loads a prepared data set: arrays in a folder, mapped read-only, described by ``meta.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import BasisConfig, InputShape
from pdf_search.data.prepared.arrays import describe, map_array
from pdf_search.data.registry import DatasetInfo
from pdf_search.errors import DataError
from pdf_search.graphs import Array, GraphSet
from pdf_search.records import Protocol, Task

FORMAT = 5  # of the prepared folder; after a change, older folders are prepared again
READABLE = (2, 3, 4, FORMAT)  # formats of folders that a recorded sweep may still name
OPTIONAL_ARRAYS = ("rows", "molecules", "scaffolds")
GRAPH_ARRAYS = tuple(f.name for f in fields(GraphSet) if f.name != "self_type")


@dataclass(frozen=True)
class Prepared:
    """A prepared data set, whose arrays any number of processes can map."""

    folder: Path
    info: DatasetInfo
    graphs: GraphSet
    fingerprint: str  # of graphs, targets and official split
    official: dict[str, NDArray[np.int64]] | None  # "train", "valid", "test": sorted graph numbers
    target_names: tuple[str, ...]
    class_names: tuple[str, ...] = ()
    part_hashes: Mapping[str, str] = field(default_factory=dict)  # of each official part
    notes: tuple[str, ...] = ()  # how the files were read, a sentence each
    rows: NDArray[np.int64] | None = None  # [G] row of the user's file; None: the graph's number
    molecules: NDArray[np.int64] | None = None  # [G] equal for graphs of the same molecule
    scaffolds: NDArray[np.int64] | None = None  # [G] equal for molecules of the same scaffold
    bases: tuple[BasisConfig, ...] = ()  # if a bank of a part of one is built, all of it is
    drawn: tuple[NDArray[np.int64], ...] | None = None  # random parts, if targets are hidden

    def without_targets(self, hidden: NDArray[np.int64]) -> Prepared:
        """Return the data with nan targets for the graphs ``hidden`` and no official test part."""
        targets = np.array(self.graphs.targets)
        targets[hidden] = np.nan
        official = self.official
        if official is not None:
            official = {name: part for name, part in official.items() if name != "test"}
        return replace(self, graphs=replace(self.graphs, targets=targets), official=official)


def load_prepared(folder: Path) -> Prepared:
    """Map the arrays of a folder that ``prepare`` made, and check them by their checksums.

    Raises:
        DataError: There is no such folder, or it is of another version or damaged.
    """
    meta = _meta(folder)
    try:
        info = parse_info(meta["info"])
        arrays = {name: _array(folder, name, known) for name, known in meta["arrays"].items()}
        graphs = GraphSet(
            **{name: arrays[name] for name in GRAPH_ARRAYS},  # type: ignore[arg-type]
            self_type=meta["self_type"],
        )
        official = {
            name: np.array(arrays[f"split_{name}"], np.int64) for name in meta["part_hashes"]
        }
    except (KeyError, TypeError, ValueError, OSError, EOFError) as error:
        raise _damaged(folder, error) from None
    _check(folder, graphs)
    return Prepared(
        folder=folder,
        info=info,
        graphs=graphs,
        fingerprint=meta["fingerprint"],
        official=official or None,
        target_names=tuple(meta["target_names"]),
        class_names=tuple(meta["class_names"]),
        part_hashes=meta["part_hashes"],
        notes=tuple(meta.get("notes", ())),
        rows=arrays.get("rows"),  # type: ignore[arg-type]
        molecules=arrays.get("molecules"),  # type: ignore[arg-type]
        scaffolds=arrays.get("scaffolds"),  # type: ignore[arg-type]
    )


def info_tree(info: DatasetInfo) -> dict[str, Any]:
    """Turn a data set's info into plain data for ``meta.json``."""
    tree = asdict(replace(info, shape=None))
    tree["shape"] = None if info.shape is None else info.shape.model_dump(mode="json")
    return tree


def parse_info(tree: dict[str, Any]) -> DatasetInfo:
    """Restore a data set's info from what ``info_tree`` returned."""
    tree = {**tree, "task": Task(tree["task"]), "protocol": Protocol(tree["protocol"])}
    shape = tree.pop("shape")
    return DatasetInfo(**tree, shape=InputShape.model_validate(shape))


def _meta(folder: Path) -> dict[str, Any]:
    try:
        meta: dict[str, Any] = json.loads((folder / "meta.json").read_text())
        version = meta["format"]
    except FileNotFoundError:
        raise DataError(
            f"{folder} holds no prepared data set: prepare it with `pdf-search data NAME`"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, error) from None
    if version not in READABLE:
        raise DataError(
            f"{folder} was prepared by another version (format {version}, this is {FORMAT}): "
            "prepare it again with `pdf-search data NAME`"
        )
    return meta


def _array(folder: Path, name: str, known: dict[str, Any]) -> Array:
    array = map_array(folder / f"{name}.npy")
    found = describe(array)
    if found != known:
        raise ValueError(f"{name}.npy is {found}, not {known}")
    return array


def _check(folder: Path, graphs: GraphSet) -> None:
    sizes = (
        len(graphs.targets) == len(graphs) == len(graphs.edge_ptr) - 1,
        graphs.node_ptr[-1] == len(graphs.nodes),
        graphs.edge_ptr[-1] == graphs.edges.shape[1] == len(graphs.edge_type),
        0 <= graphs.self_type < len(graphs.edge_types),
    )
    if not all(sizes):
        raise _damaged(folder, "its arrays are of different data sets")


def _damaged(folder: Path, why: object) -> DataError:
    return DataError(
        f"the prepared data in {folder} is damaged ({why}): prepare it again with "
        "`pdf-search data NAME`, which replaces it"
    )
