"""The few graphs that `pdf-search explain` looks at, kept beside a checkpoint.

They are the first graphs of each replicate's validation part (else of its test or training part)
that together hold at most ``SAMPLE_PAIRS`` pairs of nodes, at least one graph. ``explain`` needs
the data set for other graphs only. The targets are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from pdf_search.atomic import whole_file
from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, split_for
from pdf_search.errors import TrialError
from pdf_search.graphs import GraphSet
from pdf_search.records import Replicate

EXCERPT = "graphs.npz"
FORMAT = 1
SAMPLE_PAIRS = 2_000_000  # pairs of nodes in the graphs of a part, at most; one graph at least

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Excerpt:
    """Some graphs of a data set, kept with a model.

    ``parts``: for each replicate the name of the part and the numbers of its graphs. ``numbers``:
    the numbers of ``graphs``, ascending. All numbers are those in the data set.
    """

    parts: tuple[tuple[str, Numbers], ...]
    numbers: Numbers
    graphs: GraphSet

    @classmethod
    def of(cls, config: TrialConfig, data: Prepared) -> Excerpt:
        """Take the excerpt of a prepared data set for a trial."""
        by_fold = {r.fold: _first_graphs(config, data, r) for r in config.replicates}
        parts = tuple(by_fold[r.fold] for r in config.replicates)
        numbers = np.unique(np.concatenate([graphs for _, graphs in parts]))
        return cls(parts, numbers, data.graphs.subset(numbers))

    def holds(self, numbers: Numbers) -> bool:
        """Whether all these graphs, by their numbers in the data set, are kept."""
        return bool(np.isin(numbers, self.numbers).all())

    def subset(self, numbers: Numbers) -> GraphSet:
        """Graphs by their numbers in the data set, all of which must be kept."""
        return self.graphs.subset(np.searchsorted(self.numbers, numbers))

    @cached_property
    def content(self) -> bytes:
        """The bytes of the file."""
        arrays = {name: np.asarray(getattr(self.graphs, name)) for name in _ARRAYS}
        about = {
            "format": FORMAT,
            "parts": [(name, graphs.tolist()) for name, graphs in self.parts],
            "self_type": self.graphs.self_type,
            "targets": self.graphs.targets.shape[1],
            "types": {name: array.dtype.str for name, array in arrays.items()},
        }
        file = BytesIO()
        narrow: dict[str, Any] = {name: _narrow(array) for name, array in arrays.items()}
        np.savez_compressed(
            file, about=np.array(json.dumps(about)), numbers=_narrow(self.numbers), **narrow
        )
        return file.getvalue()

    def write(self, folder: Path) -> None:
        """Write the file ``EXCERPT`` into ``folder``."""
        with whole_file(folder / EXCERPT) as path:
            path.write_bytes(self.content)


def read_excerpt(folder: Path) -> Excerpt | None:
    """Read the excerpt beside a checkpoint; None if there is none.

    Raises:
        TrialError: it is damaged, or of another version.
    """
    path = folder / EXCERPT
    if not path.is_file():
        return None
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            if about["format"] != FORMAT:
                raise ValueError(f"format {about['format']}, this version reads {FORMAT}")
            numbers = file["numbers"].astype(np.int64)
            arrays = {name: file[name].astype(about["types"][name]) for name in _ARRAYS}
        targets = np.full((len(numbers), about["targets"]), np.nan, np.float32)
        graphs = GraphSet(**arrays, self_type=about["self_type"], targets=targets)
        parts = tuple((name, np.array(graph, np.int64)) for name, graph in about["parts"])
    except (OSError, BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
        raise TrialError(f"{path}: damaged ({error})") from None
    return Excerpt(parts, numbers, graphs)


_ARRAYS = tuple(f.name for f in fields(GraphSet) if f.name not in ("self_type", "targets"))


def _first_graphs(config: TrialConfig, data: Prepared, replicate: Replicate) -> tuple[str, Numbers]:
    """Name of the first part that has graphs, and its leading graphs."""
    split = split_for(data, config, replicate)
    parts = {"validation": split.valid, "test": split.test, "training": split.train}
    name = next(name for name, graphs in parts.items() if graphs is not None and len(graphs))
    graphs = parts[name]
    assert graphs is not None
    return name, graphs[: sample_size(data.graphs.node_count[graphs])]


def sample_size(nodes: NDArray[np.int64]) -> int:
    """How many leading graphs hold at most ``SAMPLE_PAIRS`` pairs together, at least 1.

    ``nodes``: the number of nodes of each graph.
    """
    held = np.cumsum(nodes.astype(np.int64) ** 2)
    return max(1, int(np.searchsorted(held, SAMPLE_PAIRS, side="right")))


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Convert integers to the narrowest type that holds them; other arrays stay as they are."""
    if array.dtype.kind not in "iu" or not array.size:
        return array
    low, high = array.min(), array.max()
    return array.astype(np.promote_types(np.min_scalar_type(low), np.min_scalar_type(high)))
