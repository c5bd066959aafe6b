"""The importance map of (eps, k) on the page and as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pdf_search.results import Store
from reports import write_report
from tests.reports import samples

ERRORS = [0.9, 0.6, 0.4]


def tree(replicates: int) -> dict[str, Any]:
    one = {"none": 1.0, "all": 0.2, "errors": ERRORS}
    rows = [{**one, "margin": 0.2, "margin_se": 0.01} for _ in range(replicates)]
    grid = [[0.0, 1], [-0.2, 1], [-0.2, 3]]
    return {"grid": grid, "alike": [[0], [1], [2]], "graphs": 50, "replicates": rows}


def test_the_map_is_shown_with_its_stability(store: Store, tmp_path: Path) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2), importance=tree(4))
    write_report(store, "night", tmp_path)
    text = (tmp_path / "importance.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["k = 1", "0.50", "0.12", "0.50"] in rows
    assert ["k = 3", "0.75", "–", "0.75"] in rows
    assert "(-0.2, 3) alone keeps 75% of what the bases give. 4 of 4 replicates" in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="figure-importance-map"' in page
    assert 'id="importance-map-table"' in page


def test_without_a_recorded_map_there_is_none(store: Store, tmp_path: Path) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    write_report(store, "night", tmp_path)
    assert not (tmp_path / "importance.md").exists()
    assert "importance-map" not in (tmp_path / "report.html").read_text(encoding="utf-8")
