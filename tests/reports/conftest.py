import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.results import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        yield store


@pytest.fixture(scope="session")
def paper() -> str:
    """LaTeX source of the PDF paper."""
    given = os.environ.get("PDF_SEARCH_TEST_DATA")
    beside = Path(__file__).parents[2].parent / "shared"
    folder = Path(given).parent if given else beside
    found = sorted(folder.glob("000_*.txt"))
    if not found:
        pytest.skip(f"the paper's LaTeX source is not in {folder}")
    return found[0].read_text(encoding="utf-8")
