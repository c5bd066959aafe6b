"""Tables of aligned text: as wide as they are, or in parts for a narrow terminal."""

from __future__ import annotations

import pytest

from reports.grid.plain_table import escape_sentence, render_plain

HEADER = ["rank", "trial", "state", "value", "reason"]
ROWS = [["1", "4", "COMPLETE", "0.5", ""], ["–", "7", "FAILED", "–", "out of memory"]]
WHOLE = """\
rank  trial  state     value  reason
1     4      COMPLETE  0.5
–     7      FAILED    –      out of memory
"""
PARTS = """\
rank  trial  state     value
1     4      COMPLETE  0.5
–     7      FAILED    –

rank  reason
1
–     out of memory
"""
THREE = """\
rank  trial  state     value
1     4      COMPLETE  0.5
–     7      FAILED    –
–     8      PRUNED    0.9

rank  trial  reason
1     4
–     7      out of memory
–     8
"""
FOLDED = """\
trial  reason
1      the loss is not
       finite after so many
       epochs
2
"""


def test_it_is_whole_where_it_fits() -> None:
    assert render_plain(HEADER, ROWS) == WHOLE
    assert render_plain(HEADER, ROWS, 43) == WHOLE  # its longest line has 43 letters


def test_it_goes_on_below_with_its_first_column_again() -> None:
    assert render_plain(HEADER, ROWS, 42) == PARTS


def test_two_rows_of_one_rank_are_told_apart_by_the_trial() -> None:
    assert render_plain(HEADER, [*ROWS, ["–", "8", "PRUNED", "0.9", ""]], 28) == THREE


def test_long_cells_are_folded() -> None:
    said = "the loss is not finite after so many epochs"
    assert render_plain(["trial", "reason"], [["1", said], ["2", ""]], 40) == FOLDED


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        (
            "Run `pdf-search sweep a --set x=[1,2]` now.",
            "Run `pdf-search sweep a --set x=[1,2]` now.",
        ),
        ("a_b of `c_d` is [e]  *f*", r"a\_b of `c_d` is \[e] \*f\*"),
        ("one ` alone, `two_words`", r"one ` alone, `two\_words\`"),
        ("``a``, <b> and c|d", r"\`\`a\`\`, \<b> and c\|d"),
        (r"a\`b`", r"a\\`b`"),
    ],
)
def test_what_stands_in_backticks_stays_in_a_sentence(text: str, escaped: str) -> None:
    assert escape_sentence(text) == escaped
