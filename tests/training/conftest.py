"""Real data, prepared once a session, and trials small enough for a fraction of a second."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.data.ogb_package import import_ogb

torch.set_num_threads(1)  # the tensors are tiny: threads cost more than they bring


@pytest.fixture(scope="session", autouse=True)
def _ogb() -> None:
    """ogb imports PyG, whose import calls a deprecated function of torch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_ogb("ogb.graphproppred")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def freesolv(cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="freesolv"), cache=cache))


@pytest.fixture(scope="session")
def mutag(data_root: Path, cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="mutag"), data_root, cache))
