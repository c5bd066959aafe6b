"""Study files: what they say, what is wrong in them, and what the command line changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pdf_search.errors import SpaceError
from pdf_search.records import Phase, Protocol
from pdf_search.space import load_study, paper_trial, recorded_study, study_names
from pdf_search.space.files.yaml_reader import read_yaml
from pdf_search.space.schema import schema_text, study_schema
from search_spaces import __file__ as shipped

from .conftest import Write

HEAD = "title: Mine\ntable: results\nrows:\n"
ROW = "  - {name: a, paper: zinc}\n"
MINE = """
title: Mine
table: ablation
seeds: 3
epochs: 5
rows:
  - name: wide
    paper: zinc
    model: {hidden: 200}
    published: {table: ablation, method: "idp-((eps, k), 2L)"}
  - name: (Lap, Lin)
    paper: zinc
    basis: {eps: [-0.5], k: {low: 1, high: 5}}
    training: {schedule: {kind: cosine}}
  - name: own
    data: {name: mutag}
    basis: {pairs: [[-0.5, 1]]}
"""


def test_rows_are_laid_over_published_settings(write: Write) -> None:
    study = load_study(write(MINE))
    wide, lap, own = study.rows
    assert (wide.config.model.hidden, wide.config.model.layers) == (200, 6)
    assert wide.published is not None
    assert wide.published.method == "idp-((eps, k), 2L)"
    assert lap.config.basis.grid == tuple((-0.5, k) for k in range(1, 6))
    assert lap.config.training.schedule.kind == "cosine"
    assert own.config.protocol is Protocol.GIN_CURVE  # what the data set is judged by
    assert own.config.folds == 10


def test_a_part_is_a_data_set_under_a_protocol(write: Write) -> None:
    zinc, mutag = load_study(write(MINE)).parts()
    assert (zinc.name, zinc.dataset, zinc.protocol) == ("mine/zinc/split", "zinc", Protocol.SPLIT)
    assert mutag.name == "mine/mutag/gin-curve"
    assert [row for row, _ in zinc.runs] == ["wide", "(Lap, Lin)"]
    for _, config in zinc.runs + mutag.runs:
        assert config.phase is Phase.CONFIRM
        assert config.seeds == (0, 1, 2)
        assert config.epochs == 5
    assert len(mutag.runs[0][1].replicates) == 30  # each seed trains all folds
    assert zinc.runs[0][1].training.epochs == paper_trial("zinc")["training"]["epochs"]


def test_one_part_has_the_name_of_the_study(write: Write) -> None:
    assert [part.name for part in load_study(write(MINE), only=["mutag"]).parts()] == ["mine"]


def test_every_row_runs_under_every_protocol_listed(write: Write) -> None:
    text = HEAD.replace("rows", "protocols: [gin-curve, inner]\nrows")
    study = load_study(write(text + "  - {name: a, paper: mutag}\n  - {name: a, paper: nci1}\n"))
    assert [part.name.removeprefix("mine/") for part in study.parts()] == [
        "mutag/gin-curve", "mutag/inner", "nci1/gin-curve", "nci1/inner"
    ]  # fmt: skip
    assert {part.runs[0][1].protocol for part in study.parts()} == {"gin-curve", "inner"}


@pytest.mark.parametrize(
    ("only", "rows"),
    [
        (["wide"], ["wide"]),
        (["(lap,lin), OWN"], ["(Lap, Lin)", "own"]),
        (["own", "WIDE"], ["wide", "own"]),
        (["MUTAG"], ["own"]),
        (["ZINC-12k"], ["wide", "(Lap, Lin)"]),
    ],
)
def test_only_takes_rows_and_data_sets(write: Write, only: list[str], rows: list[str]) -> None:
    assert [row.name for row in load_study(write(MINE), only=only).rows] == rows


def test_the_command_line_changes_every_row(write: Write) -> None:
    sets = ["data.train_fraction=0.02", "model.hidden=8", "basis.support={hops: 1}"]
    study = load_study(write(MINE), sets, epochs=2, seeds=1)
    for row in study.rows:
        assert row.config.data.train_fraction == 0.02
        assert row.config.model.hidden == 8
        assert row.config.basis.hops == 1
    assert {config.epochs for part in study.parts() for _, config in part.runs} == {2}
    assert study.parts()[0].runs[0][1].seeds == (0,)


def test_epochs_beyond_the_schedule_cut_nothing(write: Write) -> None:
    study = load_study(write(MINE), epochs=10_000)
    assert study.parts()[0].runs[0][1].stop_epoch is None


def test_a_recorded_study_is_the_same_study(write: Write) -> None:
    study = load_study(write(MINE), ["data.train_fraction=0.5"], ["ZINC"], epochs=3)
    recorded = json.loads(json.dumps(study.as_dict()))
    assert recorded_study(recorded) == study
    assert study.changes_from(recorded) == []
    other = load_study(write(MINE), only=["zinc"], seeds=2, epochs=3)
    assert other.changes_from(recorded) == [
        "seeds: 3 there, 2 now",
        "rows.wide (zinc).data.train_fraction: 0.5 there, 1.0 now",
        "rows.(Lap, Lin) (zinc).data.train_fraction: 0.5 there, 1.0 now",
    ]


NESTED = """
title: Nested
table: folds
seeds: 1
protocols: [gin-curve, nested]
rows:
  - name: PDF
    training: {epochs: 7}
    published: {method: PDF}
    candidates:
      - {name: paper, paper: mutag}
      - {name: flat, paper: mutag, model: {layers: 2}}
"""


def test_candidates_are_rows_that_nested_chooses_among(write: Write) -> None:
    study = load_study(write(NESTED))
    assert [row.name for row in study.rows] == ["PDF (paper)", "PDF (flat)"]
    assert [row.config.model.layers for row in study.rows] == [4, 2]
    assert [row.config.training.epochs for row in study.rows] == [7, 7]
    assert [part.protocol for part in study.parts()] == [Protocol.GIN_CURVE, Protocol.INNER]
    assert study.nested() == {"mutag": {"PDF": ["PDF (paper)", "PDF (flat)"]}}
    assert recorded_study(json.loads(json.dumps(study.as_dict()))) == study
    assert len(load_study(write(NESTED), only=["pdf"]).rows) == 2


def test_own_molecules_are_found_beside_the_file(write: Write, tmp_path: Path) -> None:
    rows = "".join(f"CC,{i}.5\n" for i in range(12))
    (tmp_path / "mols.csv").write_text(f"smiles,y\n{rows}")
    row = "  - name: a\n    data: {name: csv, path: mols.csv, targets: [y]}\n"
    study = load_study(write(HEAD + row + "    basis: {pairs: [[-0.5, 1]]}\n"))
    assert study.rows[0].config.data.path == str(tmp_path / "mols.csv")
    assert study.rows[0].dataset == "mols"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("titel: a\ntable: folds\nrows:\n" + ROW, "1: titel: unknown key; did you mean title?"),
        (HEAD.replace("Mine", "''") + ROW, "1: title: '' does not fit: give a text that is not"),
        ("table: folds\nrows:\n" + ROW, "title: missing; add it"),
        (HEAD.replace("results", "reslts") + ROW, "2: table: 'reslts' does not fit: give ablation"),
        (HEAD.replace("rows", "seeds: 0\nrows") + ROW, "3: seeds: 0 is too small: give 1 or more"),
        (HEAD.replace("rows", "seeds: [1, 2]\nrows") + ROW, "3: seeds: [1, 2] does not fit: gi"),
        (HEAD.replace("rows", "protocols: [iner]\nrows") + ROW, "3: protocols[0]: 'iner' does not"),
        (HEAD.replace("rows:", "rows: []"), "3: rows: list the rows of the table"),
        (HEAD + "  - zinc\n", "4: rows[0]: a row is a mapping"),
        (HEAD + "  - {paper: zinc}\n", "4: rows[0].name: missing; add it"),
        (HEAD + "  - {name: a, paper: znic}\n", "4: rows[0].paper: no published setting 'znic'; "
         "did you mean zinc?"),
        (HEAD + "  - {name: a, papr: zinc}\n", "4: rows[0].papr: unknown key; did you mean paper?"),
        (HEAD + "  - {name: a, paper: zinc, seeds: [3]}\n", "4: rows[0].seeds: not part of a row: "
         "give the study `seeds: N`"),
        (HEAD + "  - name: a\n    paper: zinc\n    model: {hiden: 3}\n",
         "6: rows[0].model.hiden: unknown key; did you mean hidden?"),
        (HEAD + "  - name: a\n    paper: zinc\n    model: {hidden: wide}\n",
         "6: rows[0].model.hidden: 'wide' does not fit: give"),
        (HEAD + "  - name: a\n    data: {name: zinc}\n", "4: rows[0].basis: missing; add it"),
        (HEAD + "  - name: a\n    paper: zinc\n    data: {name: mutagg}\n",
         "6: rows[0].data.name: no data set is called 'mutagg'"),
        (HEAD + "  - name: a\n    paper: zinc\n    published: {method: a, tabel: b}\n",
         "6: rows[0].published.tabel: unknown key; did you mean table?"),
        (HEAD + ROW + ROW, "5: rows[1].name: 'a' is there twice for zinc; rename one"),
        (HEAD + ROW + "  - {name: b, paper: zinc, data: {train_fraction: 0.5}}\n",
         "5: rows[1]: data.train_fraction = 0.5, unlike row 'a' of the same data set"),
        (HEAD + "  - {name: a, candidates: [{paper: zinc}]}\n",
         "4: rows[0].candidates: list two or more settings, each with a name"),
        (NESTED.replace(", nested", ""), "4: protocols: candidates are chosen among under nested"),
        (HEAD.replace("rows", "protocols: [nested]\nrows") + "  - {name: a, paper: mutag}\n",
         "3: protocols: nested chooses among a row's candidates"),
        (NESTED.replace("flat, paper: mutag", "flat, paper: zinc"),
         "11: rows[0].candidates[1]: zinc, but another candidate of 'PDF' is on mutag"),
        (HEAD.replace("rows", "seeds: 99999999999999999999\nrows") + ROW, "3: seeds: 999999"),
        (NESTED.replace("layers", "layer"), "11: rows[0].candidates[1].model.layer: unknown key"),
        ("- a\n", "not a study: it needs keys such as title, table and rows"),
        ("title: a\ntitle: b\n", "2: title: the key is already given"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(write: Write, text: str, error: str) -> None:
    path = write(text)
    with pytest.raises(SpaceError) as caught:
        load_study(path)
    assert error in str(caught.value)
    assert str(caught.value).startswith(path)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sets": ["model.hiden=3"]}, "--set model.hiden=3: model.hiden: unknown path; did you"),
        (
            {"sets": ["model.hidden=x"]},
            "--set model.hidden=x: model.hidden: 'x' does not fit: give",
        ),
        ({"sets": ["basis.eps=[-0.2]"]}, "--set basis.eps=[-0.2]: basis: give exactly one of"),
        ({"sets": ["seeds=3"]}, "--set seeds=3: seeds: cannot be set: give the study"),
        ({"sets": ["budget.trials=3"]}, "--set budget.trials=3: budget.trials: unknown path"),
        ({"sets": ["hidden"]}, "--set hidden: write --set path=value"),
        ({"only": ["wid"]}, "--only wid: no such row or data set; there is: wide; (Lap, Lin); own"),
    ],
)
def test_what_is_wrong_on_the_command_line(
    write: Write, options: dict[str, list[str]], error: str
) -> None:
    with pytest.raises(SpaceError) as caught:
        load_study(write(MINE), **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(error)


def test_an_unknown_study() -> None:
    with pytest.raises(SpaceError, match="no study 'ablation'; did you mean paper/ablation"):
        load_study("ablation")
    with pytest.raises(SpaceError, match=r"my\.yaml: no such file; shipped studies: paper/abl"):
        load_study("./my.yaml")


def test_the_shipped_schema_is_the_generated_one_and_accepts_the_shipped_studies() -> None:
    folder = Path(shipped).parent / "studies"
    assert (folder / "schema.json").read_text() == schema_text(study_schema())
    validator = Draft202012Validator(study_schema())
    for name in study_names():
        tree = read_yaml((folder / f"{name}.yaml").read_text(), name).tree
        assert list(validator.iter_errors(tree)) == []
    wrong = {"title": "a", "table": "folds", "rows": [{"name": "a", "model": {"hiden": 3}}]}
    assert list(validator.iter_errors(wrong))
