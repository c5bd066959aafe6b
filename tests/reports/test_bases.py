"""What the graphs tell of (eps, k), in the report of a sweep that recorded it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pdf_search.results import Store
from reports import bases_grids, bases_text, pairs_text, write_report
from reports.grid.grid_texts import grid_plain
from tests.reports import samples

ANALYSIS: dict[str, Any] = {
    "training_graphs": 513,
    "graphs": 100,
    "pairs": 12345,
    "support": {"hops": 2},
    "standardise": True,
    "grid": [[0.0, 1], [0.0, 2], [-0.5, 1]],
    "effective_rank": 2,
    "held": 0.999,
    "alike": 0.99,
    "bundles": [[[0.0, 1], [-0.5, 1]], [[0.0, 2]]],
    "picks": [[0.0, 2], [0.0, 1], [-0.5, 1]],
    "left": [0.25, 0.00123, 0.0],
    "kept": 2,
    "along_eps": [
        {"k": 1, "neighbours": [0.995], "ends": 0.995},
        {"k": 2, "neighbours": [], "ends": 1.0},
    ],
    "along_k": [
        {"eps": 0.0, "neighbours": [0.8], "ends": 0.8},
        {"eps": -0.5, "neighbours": [], "ends": 1.0},
    ],
}


def lines(number: int) -> list[list[str]]:
    text = grid_plain(bases_grids(ANALYSIS, "night")[number])
    return [line.split() for line in text.splitlines()]


def test_in_words() -> None:
    assert bases_text(ANALYSIS) == (
        "3 bases of (eps, k): 2 directions hold 99.9% of their variance, 2 bundles can be told "
        "apart (correlation up to 0.99), compact keeps 2"
    )
    assert pairs_text(ANALYSIS) == (
        "12,345 node pairs of 100 of 513 training graphs (2 hops, standardised)"
    )


def test_bundles_by_eps_and_k_and_the_order_of_picking() -> None:
    assert lines(0) == [["k", "eps", "0", "eps", "-0.5"], ["1", "1", "1"], ["2", "2"]]
    assert lines(1)[1:] == [["1", "(0,", "2)", "25.000%"], ["2", "(0,", "1)", "0.123%"]]


def test_profiles_along_eps_and_k() -> None:
    assert lines(2)[1:] == [["1", "0.9950", "0.9950", "0.9950"], ["2"]]
    assert lines(3)[1:] == [["0", "0.8000", "0.8000", "0.8000"], ["-0.5"]]


def test_a_section_of_the_report_where_it_is_recorded(store: Store, tmp_path: Path) -> None:
    record = samples.sweep(options={"bases": ANALYSIS})
    samples.search(store, record)
    paths = {path.name: path.read_text("utf-8") for path in write_report(store, "night", tmp_path)}
    assert "Compared on 12,345 node pairs" in paths["bases.md"]
    assert "# Correlation along k" in paths["bases.md"]
    assert "What the graphs tell of (eps, k)" in paths["report.html"]
    assert "<h2>Bundles of bases</h2>" in paths["report.html"]


def test_none_in_the_report_of_an_older_sweep(store: Store, tmp_path: Path) -> None:
    samples.search(store, samples.sweep())
    paths = {path.name: path.read_text("utf-8") for path in write_report(store, "night", tmp_path)}
    assert "bases.md" not in paths
    assert "What the graphs tell" not in paths["report.html"]
