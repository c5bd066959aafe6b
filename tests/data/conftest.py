"""Prepared data sets, made once a test session, and small raw files."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import BasisConfig, DataConfig, TrialConfig
from pdf_search.data import Prepared, load_prepared, prepare

Load = Callable[[str], Prepared]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def load(data_root: Path, cache: Path) -> Load:
    """A real data set by name, an excerpt where the whole is not at hand."""
    return lambda name: load_prepared(prepare(DataConfig(name=name), data_root, cache))


@pytest.fixture(scope="session")
def load_whole(whole_data: Path, cache: Path) -> Load:
    """A real data set by name, with all its graphs."""
    return lambda name: load_prepared(prepare(DataConfig(name=name), whole_data, cache))


@pytest.fixture(scope="session")
def freesolv(cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="freesolv"), cache=cache))


def trial(name: str = "freesolv", **changes: object) -> TrialConfig:
    """A trial configuration on a data set; only its data and protocol parts matter here."""
    tree = {"data": {"name": name}, "basis": BasisConfig(eps=(-0.5,), k=1), **changes}
    return TrialConfig.model_validate(tree)


def write_gz(path: Path, rows: object, form: str = "%d") -> None:
    """Rows as a headerless .csv.gz; nan becomes an empty cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    array = np.atleast_2d(np.asarray(rows).T).T
    lines = (",".join("" if np.isnan(v) else form % v for v in row) for row in array.tolist())
    with gzip.open(path, "wt") as file:
        file.write("".join(f"{line}\n" for line in lines))


def edges_of(data: Prepared, graph: int) -> set[tuple[int, int]]:
    """The directed edges of one graph."""
    first, last = data.graphs.edge_ptr[graph : graph + 2]
    return {(int(u), int(v)) for u, v in data.graphs.edges[:, first:last].T}


def labelled(data: Prepared, labels: Sequence[int]) -> Prepared:
    """The first graphs of a data set, with these class numbers in place of their own."""
    graphs = data.graphs.subset(np.arange(len(labels)))
    targets = np.array(labels, np.float32).reshape(-1, 1)
    return replace(data, graphs=replace(graphs, targets=targets))
