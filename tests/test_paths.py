"""Places of checkpoints: folders, and URIs whose options stay at their end."""

from __future__ import annotations

import pytest

from pdf_search.paths import above, below, last_names

OPTIONS = "?endpoint_override=http://127.0.0.1:9000/x&scheme=http"


@pytest.mark.parametrize(
    ("place", "options"), [("/runs/what?", ""), ("s3://bucket", ""), ("s3://bucket", OPTIONS)]
)
def test_a_place_below_another_and_above_it(place: str, options: str) -> None:
    given = place + options
    inner = below(below(given, "night"), "search/0001-a")
    assert inner == f"{place}/night/search/0001-a{options}"
    assert above(inner, 3) == given
    assert last_names(inner) == ("0001-a",)
    assert last_names(inner, 2) == ("search", "0001-a")
    assert below(f"{place}/{options}", "night") == f"{place}/night{options}"
