"""Graphs of one's own as flat arrays, and the file without pickles that keeps them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.atomic import whole_file
from pdf_search.config import CategoricalInput, LinearInput, NoInput
from pdf_search.data.option_words import TARGETS
from pdf_search.errors import DataError
from pdf_search.graphs import Array

SUFFIX = ".npz"
EDGE_CODES = 2  # of integer edge features: 0 is "no edge", 1 a node's pair with itself
CONSTANT_FEATURES = 10  # ones of every node where there are no node features, as in TU sets
_FORMAT = 1


@dataclass(frozen=True)
class OwnGraphs:
    """G graphs with n nodes and e listed edges in all.

    Integer features are codes, each column with an embedding of its own; others are numbers.
    ``targets`` are nan where a value is missing. ``whole`` says that they are whole numbers by
    their type. ``parts`` names the part of the split of each graph, if the graphs say it.
    """

    node_count: NDArray[np.int64]  # [G]
    nodes: Array  # [n, F] int64 or float32
    edge_count: NDArray[np.int64]  # [G]
    edges: NDArray[np.int64]  # [2, e] node numbers local to their graph
    edge_features: Array | None  # [e, C] int64 or float32
    targets: NDArray[np.float64]  # [G, T]; of classes with names the numbers of these
    target_names: tuple[str, ...]
    whole: bool = False
    class_names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.node_count)

    @property
    def node_input(self) -> CategoricalInput | LinearInput:
        """The node features as a model's input."""
        return _input(self.nodes)

    @property
    def edge_input(self) -> CategoricalInput | LinearInput | NoInput:
        """The edge features as a model's input; see ``EDGE_CODES``."""
        return NoInput() if self.edge_features is None else _input(self.edge_features, EDGE_CODES)

    @property
    def coded_edge_features(self) -> Array | None:
        """The edge features [e, C] as the model gets them: codes are shifted by ``EDGE_CODES``."""
        features = self.edge_features
        if features is None or not np.issubdtype(features.dtype, np.integer):
            return features
        return features + EDGE_CODES

    @property
    def self_row(self) -> tuple[float, ...] | None:
        """The edge features of a node's pair with itself; None if there are none."""
        return None if self.edge_features is None else (1,) * self.edge_features.shape[1]

    def with_targets(self, names: Sequence[str]) -> OwnGraphs:
        """Return the graphs with these targets only, in this order; all if ``names`` is empty.

        Raises:
            DataError: There is no such target.
        """
        unknown = [name for name in names if name not in self.target_names]
        if unknown:
            raise DataError(
                f"no target {', '.join(unknown)} ({TARGETS}): the graphs have "
                f"{', '.join(self.target_names) or 'none'}"
            )
        if not names:
            return self
        places = [self.target_names.index(name) for name in names]
        return replace(self, targets=self.targets[:, places], target_names=tuple(names))

    def save(self, path: Path) -> None:
        """Write the graphs into one file of arrays, which is read without executing anything."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        about = {k: v for k, v in arrays.items() if not isinstance(v, np.ndarray) and v is not None}
        arrays = {k: v for k, v in arrays.items() if isinstance(v, np.ndarray)}
        text = json.dumps({"format": _FORMAT, **about})
        with whole_file(path) as part, part.open("wb") as file:
            np.savez_compressed(file, about=np.frombuffer(text.encode(), np.uint8), **arrays)

    @classmethod
    def load(cls, path: Path) -> OwnGraphs:
        """Read a file that ``save`` wrote.

        Raises:
            DataError: There is no such file, it is another, or damaged.
        """
        try:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                found: dict[str, Any] = {name: file[name] for name in file.files}
            about = json.loads(bytes(found.pop("about")))
            version = about.pop("format")
            if version != _FORMAT:
                raise DataError(f"{path} was written by another version (format {version})")
            found |= {k: tuple(v) if isinstance(v, list) else v for k, v in about.items()}
            return cls(**{"edge_features": None, **found})
        except DataError:
            raise
        except FileNotFoundError:
            raise DataError(f"there is no file {path}") from None
        except PermissionError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}") from None
        except Exception:  # whatever a foreign or damaged file makes numpy and zipfile raise
            raise DataError(
                f"{path} is no file of graphs that `pdf_search.Dataset` saved, or it is damaged: "
                "write it again with pdf_search.Dataset.from_pyg(graphs).save('graphs.npz')"
            ) from None


def _input(values: Array, shift: int = 0) -> CategoricalInput | LinearInput:
    if not np.issubdtype(values.dtype, np.integer):
        return LinearInput(features=values.shape[1])
    highest = values.max(axis=0) if len(values) else np.full(values.shape[1], -1)
    return CategoricalInput(sizes=tuple(int(top) + 1 + shift for top in highest))
