"""A data set of another size than the published one is used, and says so."""

from __future__ import annotations

import pytest

from pdf_search.data import names
from pdf_search.data.published_sizes import GRAPHS, size_notes
from tests.data.conftest import Load
from tests.data.test_tu import PAPER

UNSURE = {"ogbg-molchembl", "ogbg-molmuv", "ogbg-moltoxcast"}


@pytest.mark.parametrize("name", ["mutag", "zinc", "ogbg-molesol", "ogbg-molbace"])
def test_a_whole_set_says_nothing_of_its_size(load_whole: Load, name: str) -> None:
    assert "published" not in "; ".join(load_whole(name).notes)


def test_sizes_of_the_tu_collection_are_the_papers() -> None:
    assert {name: GRAPHS[name] for name in PAPER} == {name: row[0] for name, row in PAPER.items()}


def test_more_graphs_than_published_are_no_less_another_set() -> None:
    assert size_notes("mutag", 188) == []
    said = "188 graphs are published, these files hold {}: published numbers are of the 188"
    assert size_notes("mutag", 40) == [said.format(40)]
    assert size_notes("mutag", 189) == [said.format(189)]


def test_every_set_with_published_numbers_has_a_size() -> None:
    assert set(names()) - set(GRAPHS) == UNSURE | {"freesolv"}  # which comes with the package
    assert set(GRAPHS) <= set(names())
