from __future__ import annotations

import pytest

from pdf_search.wording import counted, visible


def test_one_is_singular_and_thousands_are_parted() -> None:
    found = [counted(count, "graph") for count in (0, 1, 2, 1000)]
    assert found == ["0 graphs", "1 graph", "2 graphs", "1,000 graphs"]
    assert (counted(1, "basis", "bases"), counted(3, "basis", "bases")) == ("1 basis", "3 bases")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("IC50 [µM]", "IC50 [µM]"),
        ("Δ°C²", "Δ°C²"),
        ("Löslichkeit", "Löslichkeit"),
        ("", "''"),
        ("log  S", "'log  S'"),
        ("log\u00a0S", r"'log\xa0S'"),  # a blank that does not break a line
        ("µ\u200b", r"'µ\u200b'"),  # of no width
        ("o\u0308", r"'o\u0308'"),  # looks as ö and is another name
        ("\x1b[31mred", r"'\x1b[31mred'"),
        ("a\nb", r"'a\nb'"),
        ("\u202eab", r"'\u202eab'"),  # turns the direction of what follows
    ],
)
def test_a_name_is_shown_as_it_is_unless_something_in_it_cannot_be_seen(
    name: str, shown: str
) -> None:
    assert visible(name) == shown
