"""Places of checkpoints: folders, and URIs whose options stay at their end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pdf_search.errors import ConfigError
from pdf_search.paths import above, below, expanded, last_names, why_not_writable

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


@pytest.mark.parametrize("given", [3, None, b"runs", [Path("runs")]])
def test_what_is_no_path_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match=r"is no path: give a text or a pathlib\.Path"):
        expanded(given)
    assert expanded("runs/a") == expanded(Path("runs/a")) == Path("runs/a")


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        assert why_not_writable(place) == f"{tmp_path / 'file'} is a file"
    assert why_not_writable(tmp_path / "new" / "folder") == ""
