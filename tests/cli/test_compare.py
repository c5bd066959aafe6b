"""``compare`` sets sweeps side by side, by name, folder or in one database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdf_search.results import Store
from tests.cli.conftest import Run
from tests.reports.test_compared import A, B, lengths, recorded


@pytest.fixture
def runs(home: Path) -> Path:
    for name, tests in (("a", A), ("b", B)):
        with Store(str(home / "runs" / name / "results.db")) as store:
            recorded(store, name, tests)
    return home / "runs"


def test_two_sweeps_side_by_side(run: Run, runs: Path) -> None:
    shown = run("compare", "a", "b").stdout
    assert "its test value" in shown
    assert "b is ahead of a in test RMSE" in shown
    (runs / "b").rename(runs / "renamed")
    shown = run("compare", "a", "./runs/renamed", "--json").stdout
    found = json.loads(shown)
    assert found["compared"][0]["difference"]["mean"] == pytest.approx(-0.075)
    assert found["rows"]["its test value"]["a"]["value"] == pytest.approx(1.59)
    (note,) = found["notes"]
    assert note in " ".join(run("compare", "a", "./runs/renamed").stdout.split())


def test_other_lengths_are_noted_in_json_too(run: Run, home: Path) -> None:
    for name, stop in (("a", None), ("b", 5)):
        with Store(str(home / "runs" / name / "results.db")) as store:
            lengths(store, name, stop)
    notes = json.loads(run("compare", "a", "b", "--json").stdout)["notes"]
    assert notes[1:] == [
        "Trials of the searches are of different lengths, in epochs: 20 in a, 5 of 20 in b.",
        "The winners are of different lengths, in epochs: 20 in a, 5 of 20 in b.",
    ]


@pytest.mark.usefixtures("runs")
def test_a_page_has_them_all(run: Run, home: Path) -> None:
    told = run("compare", "a", "b", "--to", home / "both").stderr
    assert f"page: {home / 'both' / 'compare.html'}" in told
    page = (home / "both" / "compare.html").read_text("utf-8")
    assert "<title>a, b</title>" in page
    for figure in ("progress", "learning", "confirmed"):
        assert page.count(f'id="figure-{figure}"') == 1
    assert sorted(path.name for path in (home / "both").iterdir()) == [
        f"compare.{kind}" for kind in ("csv", "html", "md", "tex")
    ]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_two_are_needed(run: Run, names: list[str]) -> None:
    assert "name two different sweeps" in run("compare", *names, code=2).stderr


@pytest.mark.usefixtures("runs")
def test_an_unknown_one_is_named(run: Run) -> None:
    assert "no sweep in" in run("compare", "a", "x", code=1).stderr
