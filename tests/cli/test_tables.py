"""The verbs below `tables`, and `report` on a study."""

from pathlib import Path

import pytest

from pdf_search.results import Store
from tests.cli.conftest import Run
from tests.reports import study_samples as studies

KINDS = ("csv", "html", "md", "tex")


def store_of(folder: Path, name: str) -> Store:
    (folder / "runs" / name).mkdir(parents=True, exist_ok=True)
    return Store(f"sqlite:///{folder / 'runs' / name / 'results.db'}")


@pytest.mark.parametrize("name", ["complexity", "results", "tu"])
def test_tables_of_the_paper_are_printed_and_written(run: Run, home: Path, name: str) -> None:
    shown = run("tables", name).stdout
    folder = home / "runs" / "tables"
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.{kind}" for kind in KINDS]
    assert shown.strip() == (folder / f"{name}.md").read_text("utf-8").strip()


def test_statistics_of_a_set_by_name(run: Run, home: Path) -> None:
    shown = run("tables", "statistics", "freesolv", "--out", "here").stdout
    assert "| FreeSolv" in shown
    assert "| 642 " in shown
    assert (home / "here" / "tables" / "statistics.csv").is_file()


def test_a_study_brings_its_memory_and_its_rows(run: Run, home: Path) -> None:
    with store_of(home, "paper/timing") as store:
        studies.timing(store, 2)
    shown = run("tables", "complexity", "paper/timing")
    assert "peak MiB, ZINC" in shown.stdout
    assert "note:" not in shown.stderr
    wrong = run("tables", "results", "paper/timing", code=2).stderr
    assert "error: paper/timing: its table is timing, not results" in wrong
    missing = run("tables", "results", "paper/zinc", code=1).stderr
    assert "no sweep in" in missing


def test_what_a_study_cannot_add_is_said(run: Run, home: Path) -> None:
    rows = [{"name": name, "data": {"name": "freesolv"}} for name in ("narrow", "GIN of mine")]
    with store_of(home, "mine") as store:
        (record,) = studies.begin(store, "mine", "results", rows)
    waits = run("tables", "complexity", "mine").stderr
    assert "note: nothing measured of mine: a run records its memory as it trains" in waits
    with store_of(home, "mine") as store:
        for number in range(2):
            studies.train(store, record, number, 0.3, 1, 2)
    shown = run("tables", "complexity", "mine")
    assert "peak MiB, freesolv, of mine" in shown.stdout
    assert "note: measured of mine, and not in the table: narrow. Its lines are" in shown.stderr
    results = run("tables", "results", "mine").stderr
    assert "note: of mine not in the table: freesolv (RMSE). Its columns are the paper's, zinc" in (
        results
    )


def test_report_of_a_study_writes_its_tables_again(run: Run, home: Path) -> None:
    with store_of(home, "paper/ablation") as store:
        studies.ablation(store, 2)
    shown = run("report", "paper/ablation").stdout
    folder = home / "runs" / "paper" / "ablation" / "report"
    assert shown.startswith("# Study paper/ablation (partial)")
    assert {"table.csv", "table.md", "table.tex", "report.html", "curves.png", "curves.pdf"} == {
        path.name for path in folder.iterdir()
    }
