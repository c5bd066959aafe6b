from __future__ import annotations

from pdf_search.wording import counted


def test_one_is_singular_and_thousands_are_parted() -> None:
    found = [counted(count, "graph") for count in (0, 1, 2, 1000)]
    assert found == ["0 graphs", "1 graph", "2 graphs", "1,000 graphs"]
    assert (counted(1, "basis", "bases"), counted(3, "basis", "bases")) == ("1 basis", "3 bases")
