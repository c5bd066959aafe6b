"""Reads OGB's raw CSV files in runs of graphs.

The graphs are those of ``ogb.io.read_graph_raw.read_csv_graph_raw``; a test compares them. Unlike
that function, this reader makes no object for each graph and never holds the whole data set, which
for ogbg-ppa is about 30 GB.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import CategoricalInput, InputShape, LinearInput, NoInput
from pdf_search.data.raw.number_table import first_wrong
from pdf_search.data.raw.raw_set import Progress, RawGraphs, RawSet
from pdf_search.errors import DataError
from pdf_search.records import Task
from pdf_search.wording import counted

RUN_EDGES = 2_000_000  # about how many listed edges are read at once
OPTIONAL = ("mapping/mol.csv.gz",)  # the names of the tasks
_PARTS = ("train", "valid", "test")
_DAMAGE = (ValueError, EOFError, OSError, zlib.error)  # what reading a broken .csv.gz raises


def required_files(shape: InputShape, split: str) -> tuple[str, ...]:
    """Return the paths, below the data set's folder, of the files that must be there."""
    raw = ["edge", "num-node-list", "num-edge-list", "edge-feat", "graph-label"]
    if _has_node_features(shape):
        raw.append("node-feat")
    splits = [f"split/{split}/{part}.csv.gz" for part in _PARTS]
    return (*(f"raw/{name}.csv.gz" for name in raw), *splits)


def read_ogb(folder: Path, shape: InputShape, split: str, say: Progress) -> RawSet:
    """Read a data set of OGB's graph property collection; ``split`` is the official split's name.

    Raises:
        DataError: The files contradict each other, or a label does not fit the task. Wrong edges
            and features are found later, when ``runs`` is iterated over.
    """
    raw = folder / "raw"
    node_count = _counts(raw / "num-node-list.csv.gz")
    edge_count = _counts(raw / "num-edge-list.csv.gz")
    targets = _targets(raw / "graph-label.csv.gz", shape)
    if not len(node_count) == len(edge_count) == len(targets):
        raise DataError(
            f"{raw}: {len(node_count)} node counts, {len(edge_count)} edge counts and "
            f"{len(targets)} labels; the files belong to different graphs, get them again"
        )
    official = _official(folder / "split" / split, len(targets))
    return RawSet(
        _runs(raw, shape, _Sizes(node_count, edge_count, targets), say),
        _target_names(folder, targets.shape[1]),
        self_row=(1,) * _width(shape.edges),
        official=official,
        inverse=True,
        notes=tuple(_notes(folder, targets, official)),
        molecules=_molecules(folder, len(targets)),
    )


def _notes(
    folder: Path, targets: NDArray[np.float32], official: dict[str, NDArray[np.int64]]
) -> Iterator[str]:
    gaps, idle = int(np.isnan(targets).sum()), len(targets) - sum(map(len, official.values()))
    if gaps:
        yield f"{gaps:,} of {targets.size:,} labels are missing"
    if idle:
        yield f"{idle:,} of {len(targets):,} graphs are in no part of the split and are not used"
    if targets.shape[1] > 1 and not (folder / OPTIONAL[0]).is_file():
        yield f"no {OPTIONAL[0]}: the tasks go by their numbers"


@dataclass(frozen=True)
class _Sizes:
    node_count: NDArray[np.int64]
    edge_count: NDArray[np.int64]
    targets: NDArray[np.float32]

    def bounds(self) -> Iterator[slice]:
        """Yield slices of consecutive graphs that together list about RUN_EDGES edges."""
        run = np.cumsum(self.edge_count) // RUN_EDGES
        cuts = [0, *(np.flatnonzero(np.diff(run)) + 1).tolist(), len(run)]
        for first, last in pairwise(cuts):
            yield slice(first, last)


def _runs(raw: Path, shape: InputShape, sizes: _Sizes, say: Progress) -> Iterator[RawGraphs]:
    """Yield the graphs in runs; check at the end that no file has rows left over."""
    categorical = isinstance(shape.edges, CategoricalInput)
    feature_type = np.int64 if categorical else np.float32
    with ExitStack() as stack:
        edges = stack.enter_context(_Rows(raw / "edge.csv.gz", 2, np.int64))
        features = stack.enter_context(
            _Rows(raw / "edge-feat.csv.gz", _width(shape.edges), feature_type)
        )
        nodes = None
        if _has_node_features(shape):
            nodes = stack.enter_context(
                _Rows(raw / "node-feat.csv.gz", _width(shape.nodes), np.int64)
            )
        for part in sizes.bounds():
            say(f"reading graphs: {part.start:,} of {len(sizes.targets):,}")
            n, e = int(sizes.node_count[part].sum()), int(sizes.edge_count[part].sum())
            yield RawGraphs(
                node_count=sizes.node_count[part],
                nodes=nodes.take(n) if nodes else np.zeros((n, 1), np.int64),
                edge_count=sizes.edge_count[part],
                edges=edges.take(e).T,
                edge_features=features.take(e) + feature_type(categorical),
                targets=sizes.targets[part],
            )
        for rows in (edges, features, *([nodes] if nodes else [])):
            rows.expect_end()


def _has_node_features(shape: InputShape) -> bool:
    return _width(shape.nodes) > 1


def _width(spec: CategoricalInput | LinearInput | NoInput) -> int:
    if isinstance(spec, CategoricalInput):
        return len(spec.sizes)
    return spec.features if isinstance(spec, LinearInput) else 0


class _Rows:
    """Reads a CSV file of numbers without a header, a given number of rows at a time."""

    def __init__(self, path: Path, columns: int, dtype: type[np.generic]) -> None:
        import pandas as pd  # noqa: PLC0415

        self._path, self._columns, self._dtype = path, columns, dtype
        self._taken = 0
        try:
            self._reader: Any = pd.read_csv(path, header=None, dtype=dtype, iterator=True)
        except pd.errors.EmptyDataError:
            self._reader = None
        except _DAMAGE as error:
            raise _damaged(path, error, dtype) from None

    def take(self, count: int) -> NDArray[Any]:
        """Return the next ``count`` rows, [count, columns]; refuse a file that has fewer."""
        rows = self._next(count) if count else np.empty((0, self._columns), self._dtype)
        self._taken += len(rows)
        if len(rows) < count:
            raise DataError(
                f"{self._path} ends after {counted(self._taken, 'row')}, before its graphs do: the "
                "file is cut off, get it again"
            )
        if rows.shape[1] != self._columns:
            raise DataError(
                f"{self._path}: {counted(rows.shape[1], 'column')}, not {self._columns}"
            )
        return rows

    def expect_end(self) -> None:
        """Refuse a file that still has rows."""
        if len(self._next(1)):
            raise DataError(
                f"{self._path} has more rows than its graphs: it is of another data set"
            )

    def _next(self, count: int) -> NDArray[Any]:
        nothing = np.empty((0, self._columns), self._dtype)
        if self._reader is None:
            return nothing
        try:
            rows: NDArray[Any] = self._reader.get_chunk(count).to_numpy()
        except StopIteration:
            return nothing
        except _DAMAGE as error:
            raise _damaged(self._path, error, self._dtype) from None
        return rows

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.close()


def _table(path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    import pandas as pd  # noqa: PLC0415

    try:
        with np.errstate(over="ignore"):  # callers check for infinite values themselves
            frame = pd.read_csv(path, header=None, dtype=dtype, skip_blank_lines=False)
    except pd.errors.EmptyDataError:
        raise DataError(f"{path} holds no values") from None
    except _DAMAGE as error:
        raise _damaged(path, error, dtype) from None
    return frame.to_numpy()


def _damaged(path: Path, why: BaseException, dtype: type[np.generic] | None = None) -> DataError:
    """The error for a damaged file; with ``dtype`` it names the first cell that is no number."""
    wrong = None
    if dtype is not None:
        with suppress(*_DAMAGE), gzip.open(path, "rt", encoding="utf-8") as file:
            wrong = first_wrong(file, dtype)
    return DataError(f"{path} is damaged, get it again: {wrong or why}")


def _counts(path: Path) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = _table(path, np.int64)[:, 0]
    if (counts < 0).any():
        raise DataError(f"{path} holds negative counts: the file is damaged, get it again")
    return counts


def _targets(path: Path, shape: InputShape) -> NDArray[np.float32]:
    """The targets [g, tasks], nan where a label is missing; refused if they do not fit the task."""
    values: NDArray[np.float32] = _table(path, np.float32)
    columns = 1 if shape.task is Task.MULTICLASS else shape.outputs
    if values.shape[1] != columns:
        raise DataError(f"{path} has {counted(values.shape[1], 'target')} a graph, not {columns}")
    present = values[~np.isnan(values)]
    limit = {Task.MULTICLASS: shape.outputs, Task.MULTILABEL: 2}.get(shape.task)
    if limit is not None and not np.isin(present, np.arange(limit)).all():
        odd = ~(np.isnan(values) | np.isin(values, np.arange(limit)))
        row, column = np.argwhere(odd)[0]
        raise DataError(
            f"{path} holds labels other than 0..{limit - 1}: {int(odd.sum())} of them, the first "
            f"{values[row, column]:g} in line {row + 1}"
        )
    if np.isinf(present).any():
        line = int(np.flatnonzero(np.isinf(values).any(axis=1))[0]) + 1
        raise DataError(f"{path}, line {line}: a value is not finite")
    if shape.task is Task.MULTICLASS and len(present) < len(values):
        line = int(np.flatnonzero(np.isnan(values[:, 0]))[0]) + 1
        raise DataError(f"{path}: a graph has no class, the first in line {line}")
    return values


def _official(folder: Path, graphs: int) -> dict[str, NDArray[np.int64]]:
    """The sorted graph numbers of each part; refuse repeated and unknown numbers."""
    parts = {name: _table(folder / f"{name}.csv.gz", np.int64)[:, 0] for name in _PARTS}
    every = np.concatenate(list(parts.values()))
    outside = len(every) and not 0 <= every.min() <= every.max() < graphs
    if outside or len(np.unique(every)) < len(every):
        raise DataError(
            f"{folder}: the split names a graph twice, or one that is not there"
            f"{_where(parts, graphs)}"
        )
    return {name: np.sort(part) for name, part in parts.items()}


def _where(parts: dict[str, NDArray[np.int64]], graphs: int) -> str:
    """Say which line of the split's files is the first wrong one."""
    seen: set[int] = set()
    for name, part in parts.items():
        for line, graph in enumerate(part.tolist(), 1):
            if graph in seen or not 0 <= graph < graphs:
                return f": {name}.csv.gz, line {line}, graph {graph} of 0..{graphs - 1}"
            seen.add(graph)
    return ""


def _target_names(folder: Path, tasks: int) -> tuple[str, ...]:
    """The names of the tasks in OGB's mapping file, or their numbers if it does not name them."""
    path = folder / "mapping" / "mol.csv.gz"
    if path.exists():
        try:
            with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
                header = next(csv.reader(file), [])
        except _DAMAGE as error:
            raise _damaged(path, error) from None
        if "smiles" in header and header.index("smiles") == tasks:
            return tuple(header[:tasks])
    return ("target",) if tasks == 1 else tuple(f"task {i}" for i in range(tasks))


def _molecules(folder: Path, graphs: int) -> NDArray[np.int64] | None:
    """A number for each graph [g], equal for equal SMILES in OGB's mapping file; None without it.

    The SMILES are compared as spelt: making hundreds of thousands of them canonical takes long.
    """
    import pandas as pd  # noqa: PLC0415

    path = folder / "mapping" / "mol.csv.gz"
    try:
        smiles = pd.read_csv(path, usecols=["smiles"], dtype=str)["smiles"]
    except (FileNotFoundError, *_DAMAGE):
        return None
    if len(smiles) != graphs:
        return None
    return pd.factorize(smiles.str.strip())[0].astype(np.int64)
