"""A search that went on after its confirmation: its best trial may be one without test values."""

from __future__ import annotations

from pathlib import Path

from pdf_search.records import Phase, SweepRecord
from pdf_search.results import Store
from reports import load_sweep, result_grid, search_findings, show_sweep, write_report
from tests.reports import samples
from tests.reports.test_findings import confirmed, epoch, searched

SAID = (
    "Trial 3, which leads the search, is not confirmed: `pdf-search confirm night --top-k 3` "
    "confirms it."
)


def went_on(store: Store) -> SweepRecord:
    """A search that was to confirm nothing, its best trial confirmed, then trial 3, the best."""
    record = searched(store, (1.9, 1.5, 1.6, 1.2))
    store.update_sweep("night", options={"top_k": 0})
    confirmed(store, record, {1: (1.0, 2.0)})
    return record


def test_the_first_of_the_confirmed_is_not_called_the_first_by_the_search(store: Store) -> None:
    went_on(store)
    data = load_sweep(store, "night")
    shown = show_sweep(data)
    assert "The best of 4 trials (trial 3; 4 complete)" in shown
    assert "Confirmed on fresh seeds, trial 1, the first of the confirmed, has test RMSE" in shown
    assert f"\nnot known: {SAID}" in shown
    assert "first by the search" not in shown


def test_table_and_page_say_so_too(store: Store, tmp_path: Path) -> None:
    went_on(store)
    assert SAID in result_grid(load_sweep(store, "night")).notes
    write_report(store, "night", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "test RMSE, first of the confirmed" in page
    assert "first by the search" not in page
    assert "Trial 3, which leads the search, is not confirmed" in page
    assert "Trial 3, which leads" in (tmp_path / "findings.md").read_text(encoding="utf-8")


def test_once_it_is_confirmed_it_is_the_first_by_the_search(store: Store) -> None:
    record = went_on(store)
    samples.save(
        store, record, 1, Phase.CONFIRM, [epoch(1, (1.2, 1.3), (1.2, 1.3))], origin="confirm of 3"
    )
    data = load_sweep(store, "night")
    assert "trial 3, the first by the search, has" in search_findings(data).found[-1]
    assert "which leads the search" not in show_sweep(data)


def test_a_confirmation_without_values_is_no_reason_to_confirm_again(store: Store) -> None:
    record = went_on(store)
    samples.save(store, record, 1, Phase.CONFIRM, origin="confirm of 3")
    notes = result_grid(load_sweep(store, "night")).notes
    assert (
        "Trial 3, which leads the search, has no test value: its confirmation is not whole."
    ) in notes
