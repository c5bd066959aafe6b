"""What is odd about a data set's files and folds is in the plan, and in what the tables read."""

from __future__ import annotations

import json
from pathlib import Path

from pdf_search.space import load_space
from pdf_search.space.studies.study_load import load_study
from pdf_search.sweep import Plan, SweepOptions, plan_sweep
from pdf_search.sweep.study_plan import plan_study

GRAPHS = 24  # of three nodes; the last four are of the second class


def write_directed(root: Path) -> Path:
    """A path of three nodes a graph, each edge listed once; no node labels."""
    folder = root / "REDDIT-BINARY"
    folder.mkdir(parents=True)
    first = range(1, 3 * GRAPHS, 3)
    texts = {
        "A": "".join(f"{n}, {n + 1}\n{n + 1}, {n + 2}\n" for n in first),
        "graph_indicator": "".join(f"{g}\n" * 3 for g in range(1, GRAPHS + 1)),
        "graph_labels": "1\n" * (GRAPHS - 4) + "2\n" * 4,
    }
    for part, text in texts.items():
        (folder / f"REDDIT-BINARY_{part}.txt").write_text(text)
    return root


def check(notes: list[str]) -> None:
    assert notes[:3] == [
        "2,000 graphs are published, these files hold 24: published numbers are of the 2,000",
        "no node labels: every node has ten ones",
        "48 of 48 edges are listed in one direction only; here all edges run both ways",
    ]
    assert notes[3].startswith("class 2 has 4 graphs, fewer than the 10 folds: none in ")
    assert notes[3].endswith("the test part of 6 of 10 folds")


def test_a_sweep_says_it(tmp_path: Path) -> None:
    root = write_directed(tmp_path / "root")
    options = SweepOptions(out=tmp_path / "runs", cache=tmp_path / "cache", data_root=root)
    made: Plan = plan_sweep(load_space("reddit-binary"), options)
    recorded = json.loads(json.dumps(made.recorded_options()))
    check(recorded["data_notes"])
    assert "model.softmax" not in "".join(made.notes)  # the shipped space has none
    assert recorded["classes"] == ["1", "2"]  # as the files name them, for the report
    assert "class 2 has 4 graphs, fewer than the 10 folds" in "\n".join(made.lines())


def test_a_study_says_it_with_the_data_sets_title(tmp_path: Path) -> None:
    root = write_directed(tmp_path / "root")
    options = SweepOptions(out=tmp_path / "runs", cache=tmp_path / "cache", data_root=root)
    made = plan_study(load_study("paper/tu", only=["reddit-binary"]), options)
    assert {part.info.name for part in made.parts} == {"reddit-binary"}
    for part in made.parts:
        check(json.loads(json.dumps(made.recorded_options(part)))["data_notes"])
    assert "RDT-B: no node labels: every node has ten ones" in made.as_dict()["data notes"]


def test_a_softmax_on_nodes_that_are_alike_is_told(tmp_path: Path) -> None:
    root = write_directed(tmp_path / "root")
    options = SweepOptions(out=tmp_path / "runs", cache=tmp_path / "cache", data_root=root)
    remedy = "--set model.softmax=false"
    space = load_space("reddit-binary", ["model.softmax={choice: [false, true]}"])
    assert remedy in plan_sweep(space, options).notes[-1]
    study = load_study("paper/tu", ["model.softmax=true"], only=["reddit-binary"])
    assert [remedy in part.data.notes[-1] for part in plan_study(study, options).parts] == [
        True,
        True,
    ]
