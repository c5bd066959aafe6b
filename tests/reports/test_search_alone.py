"""A sweep that was to confirm nothing (``--top-k 0``) is whole once its search is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.results import Store
from reports import (
    SweepData,
    leaderboard_grid,
    load_sweep,
    result_grid,
    search_findings,
    show_sweep,
    sweeps_grid,
    write_report,
)
from tests.reports import samples

NOT_ASKED = "o confirmation asked for (--top-k 0)"  # after a small or a capital letter


@pytest.fixture
def data(store: Store) -> SweepData:
    samples.search(store, samples.sweep(options={"top_k": 0}))
    return load_sweep(store, "night")


def test_it_is_not_partial(data: SweepData) -> None:
    assert data.notices() == []
    assert search_findings(data).partial == ()
    assert sweeps_grid([("a", data), ("b", data)]).notices == ()
    assert "partial" not in show_sweep(data)


def test_it_is_told_in_the_same_words_everywhere(
    store: Store, data: SweepData, tmp_path: Path
) -> None:
    assert f"\nconfirm: n{NOT_ASKED}\n" in show_sweep(data)
    assert f"N{NOT_ASKED}." in leaderboard_grid(data).lead
    assert result_grid(data).notes[0] == (
        f"N{NOT_ASKED}: our numbers are validation numbers of the search and cannot be compared "
        "with test numbers. Run `pdf-search confirm night --top-k 3` for test numbers."
    )
    assert search_findings(data).unknown[-1] == f"Test values: n{NOT_ASKED}."
    write_report(store, "night", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count(NOT_ASKED) == 4  # findings, results, leaderboard, how it was made
    assert "Partial" not in page


def test_a_search_that_is_not_done_is_partial_all_the_same(store: Store) -> None:
    samples.search(store, samples.sweep(trials=40, options={"top_k": 0}))
    assert load_sweep(store, "night").notices() == ["search: 16 of 40 trials finished"]


def test_one_that_was_confirmed_later_is_as_any_other(store: Store) -> None:
    record = samples.sweep(options={"top_k": 0})
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    data = load_sweep(store, "night")
    assert data.not_asked == ""
    assert NOT_ASKED not in show_sweep(data)
    assert data.how_to_confirm == "pdf-search confirm night --top-k 3"  # for what is left


def test_the_command_that_confirms_tells_where_the_sweep_is(store: Store, tmp_path: Path) -> None:
    samples.search(store, samples.sweep(options={"top_k": 0}))
    write_report(store, "night", tmp_path, where="--out '/my runs'")
    table = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "Run `pdf-search confirm night --top-k 3 --out '/my runs'` for test numbers." in table
