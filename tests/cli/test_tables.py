"""The verbs below `tables`, and `report` on a study."""

from pathlib import Path

import pytest

from pdf_search.results import Store
from tests.cli.conftest import Run
from tests.reports import study_samples as studies

KINDS = ("csv", "html", "md", "tex")


def store_of(folder: Path, name: str) -> Store:
    (folder / "runs" / name).mkdir(parents=True)
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
    assert "peak MiB, ZINC" in run("tables", "complexity", "paper/timing").stdout
    wrong = run("tables", "results", "paper/timing", code=2).stderr
    assert "error: paper/timing: its table is timing, not results" in wrong
    missing = run("tables", "results", "paper/zinc", code=1).stderr
    assert "no sweep in" in missing


def test_report_of_a_study_writes_its_tables_again(run: Run, home: Path) -> None:
    with store_of(home, "paper/ablation") as store:
        studies.ablation(store, 2)
    shown = run("report", "paper/ablation").stdout
    folder = home / "runs" / "paper" / "ablation" / "report"
    assert shown.startswith("# Study paper/ablation (partial)")
    assert {"table.csv", "table.md", "table.tex", "report.html", "curves.png", "curves.pdf"} == {
        path.name for path in folder.iterdir()
    }
