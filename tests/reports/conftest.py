from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.results import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        yield store
