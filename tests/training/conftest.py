"""Real data, prepared once a session, and trials small enough for a fraction of a second."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare

torch.set_num_threads(1)  # the tensors are tiny: threads cost more than they bring


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def freesolv(cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="freesolv"), cache=cache))


@pytest.fixture(scope="session")
def mutag(excerpts: Path, cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="mutag"), excerpts, cache))
