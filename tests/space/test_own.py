"""The space that is written for a file of one's own: guesses, sizes, and the text itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import yaml
from torch_geometric.data import Data

from pdf_search import Dataset
from pdf_search.data import Asked
from pdf_search.errors import ConfigError, DataError
from pdf_search.space import Space, load_space, load_study, searched_text, space_names, space_text
from pdf_search.space.own.rule import size_for


def smiles(count: int) -> list[str]:
    return [f"{'C' * (i % 20 + 1)}{'O' * (i // 20 % 20)}{'N' * (i // 400)}" for i in range(count)]


def table(file: Path, header: str, *columns: object, count: int = 40) -> Path:
    cells = [smiles(count), *(c if isinstance(c, list) else [c] * count for c in columns)]
    rows = [",".join(map(str, row)) for row in zip(*cells, strict=True)]
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


NUMBERS: list[object] = [i / 4 for i in range(40)]
LABELS: list[object] = [i % 2 for i in range(40)]
WORDS: list[object] = [["red", "blue", "green"][i % 3] for i in range(40)]


def data_of(space: Space) -> dict[str, object]:
    keys = ("smiles", "targets", "task", "split_by", "split_column", "skip_bad_rows", "stratify")
    return {k: v for k, v in space.definition["data"].items() if k in keys}


@pytest.mark.parametrize(
    ("header", "columns", "smiles_column", "target", "said"),
    [
        ("smiles,y", [NUMBERS], "smiles", "y", ["target: column y (guessed: the only other one)"]),
        (
            "Canonical_SMILES,name,y",
            [WORDS, NUMBERS],
            "Canonical_SMILES",
            "y",
            ["SMILES: column Canonical_SMILES (guessed by its name)", "the only other one of num"],
        ),
        (
            "Drug,kind,y",
            [WORDS, NUMBERS],
            "Drug",
            "y",
            ["SMILES: column Drug (guessed: the only one whose cells are SMILES)"],
        ),
    ],
)
def test_columns_are_guessed_where_there_is_one_candidate(
    tmp_path: Path,
    header: str,
    columns: list[object],
    smiles_column: str,
    target: str,
    said: list[str],
) -> None:
    space = load_space(str(table(tmp_path / "mine.csv", header, *columns)))
    assert data_of(space) == {"smiles": smiles_column, "targets": [target]}
    assert all(any(text in note for note in space.notes) for text in said)
    assert any(note.startswith("task: regression (guessed: the targets") for note in space.notes)


@pytest.mark.parametrize(
    ("header", "columns", "said"),
    [
        ("smiles,y,z", [NUMBERS, NUMBERS], "which column is to be predicted? y, z hold numbers"),
        ("smiles,a,b", [WORDS, WORDS], "no other column holds numbers: name it with --target"),
        ("smiles", [], "there is only the column 'smiles'"),
        ("SMILES_1,smiles_2,y", [smiles(40), NUMBERS], "SMILES_1, smiles_2 may be it"),
        ("a,b,y", [smiles(40), NUMBERS], "a, b may be it: name it with --smiles COLUMN"),
    ],
)
def test_two_candidates_are_named_and_none_is_taken(
    tmp_path: Path, header: str, columns: list[object], said: str
) -> None:
    with pytest.raises(DataError) as caught:
        load_space(str(table(tmp_path / "mine.csv", header, *columns)))
    assert said in str(caught.value)


def test_no_column_of_smiles(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match="no column holds SMILES"):
        load_space(str(tmp_path / "mine.csv"))


LABELLED = {"task": "multilabel", "stratify": True}
CLASSIFIED = {"task": "multiclass", "stratify": True}


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (Asked(targets=("y,z",)), {"targets": ["y", "z"]}),
        (Asked(targets=("y", " z ")), {"targets": ["y", "z"]}),
        (Asked(targets=("a,b",)), {"targets": ["a,b"]}),
        (
            Asked(targets=("l",), task="classification"),
            {"targets": ["l"], "task": "multilabel", "stratify": True},
        ),
        (
            Asked(targets=("w",), task="classification"),
            {"targets": ["w"], "task": "multiclass", "stratify": True},
        ),
        (Asked(targets=("l",), task="regression"), {"targets": ["l"], "task": "regression"}),
        (Asked(targets=("y",), split="scaffold"), {"targets": ["y"], "split_by": "scaffold"}),
        (Asked(targets=("y",), split="random"), {"targets": ["y"], "split_by": "molecule"}),
        (Asked(targets=("y",), split="part"), {"targets": ["y"], "split_column": "part"}),
        (Asked(targets=("y",), skip_bad_rows=True), {"targets": ["y"], "skip_bad_rows": True}),
    ],
)
def test_what_is_asked_is_in_the_space(
    tmp_path: Path, asked: Asked, wanted: dict[str, object]
) -> None:
    header = 'smiles,y,z,"a,b",l,w,part'
    file = table(tmp_path / "m.csv", header, NUMBERS, NUMBERS, NUMBERS, LABELS, WORDS, "train")
    space = load_space(str(file), asked=asked)
    assert data_of(space) == {"smiles": "smiles", **wanted}
    assert any("task:" in note for note in space.notes) == (asked.task is None)


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    file = str(table(tmp_path / "mine.csv", "smiles,y,w", NUMBERS, WORDS))
    with pytest.raises(ConfigError, match="--task classify: write regression, classification"):
        Asked(task="classify")
    with pytest.raises(DataError, match="classification: y, w hold other values than 0 and 1"):
        load_space(file, asked=Asked(targets=("y,w",), task="classification"))
    with pytest.raises(DataError, match=r"no column 'logS' \(--target\)"):
        load_space(file, asked=Asked(targets=("logS",)))
    with pytest.raises(ConfigError, match="--target, --split: only for a data file in place of"):
        load_space("freesolv", asked=Asked(targets=("y",), split="random"))


def test_a_set_comes_before_a_guess(tmp_path: Path) -> None:
    file = str(table(tmp_path / "mine.csv", "smiles,y,z", NUMBERS, LABELS))
    space = load_space(file, ['data.targets=["z"]', "model.layers=4"])
    assert data_of(space)["targets"] == ["z"]
    assert space.defaults.metric == "rocauc"
    assert (
        space.config(
            space.sample(lambda p: p.domain.values[0] if p.domain.values else p.domain.low)
        ).model.layers
        == 4
    )


@pytest.mark.parametrize(
    ("cells", "task", "metric"),
    [
        (NUMBERS, None, "rmse"),
        (LABELS, None, "rocauc"),
        (WORDS, "classification", "accuracy"),
    ],
)
def test_task_and_metric(tmp_path: Path, cells: object, task: str | None, metric: str) -> None:
    file = table(tmp_path / "mine.csv", "smiles,y", cells)
    space = load_space(str(file), asked=Asked(task=task))
    assert space.defaults.metric == metric
    standardised = space.definition["training"].get("standardise_targets", False)
    assert standardised == (metric == "rmse")


def test_a_file_has_one_metric_whatever_way_it_is_named(tmp_path: Path) -> None:
    table(tmp_path / "mine.csv", "smiles,y", NUMBERS)
    data = "{name: csv, path: mine.csv, targets: [y]}"
    (tmp_path / "own.yaml").write_text(f"data: {data}\nbasis: {{pairs: [[-0.1, 4]]}}\n")
    row = f"{{name: a, data: {data}, basis: {{pairs: [[-0.1, 4]]}}}}"
    (tmp_path / "study.yaml").write_text(f"title: t\ntable: results\nrows: [{row}]\n")
    space, table_space = (load_space(str(tmp_path / name)) for name in ("own.yaml", "mine.csv"))
    (studied,) = load_study(str(tmp_path / "study.yaml")).rows
    assert (space.defaults.metric, table_space.defaults.metric) == ("rmse", "rmse")
    assert (space.config({}).data.metric, studied.config.data.metric) == ("rmse", "rmse")
    chosen = load_space(str(tmp_path / "own.yaml"), ["data.metric=mae"])
    assert (chosen.defaults.metric, chosen.config({}).data.metric) == ("mae", "mae")


def test_a_larger_set_gets_larger_models_and_fewer_epochs(tmp_path: Path) -> None:
    sizes = [size_for(count) for count in (10, 2_000, 2_001, 20_000, 20_001, 10**7)]
    assert [size.parameters for size in sizes] == [150_000] * 2 + [500_000] * 2 + [1_500_000] * 2
    few = load_space(str(table(tmp_path / "few.csv", "smiles,y", NUMBERS)))
    numbers: list[object] = [i % 97 for i in range(2_100)]
    more = load_space(str(table(tmp_path / "more.csv", "smiles,y", numbers, count=2_100)))
    assert (few.defaults.epochs, more.defaults.epochs) == (40, 30)
    assert few.limits[0].text == "parameters <= 150_000"
    assert more.limits[0].text == "parameters <= 500_000"


def test_the_text_is_a_space_of_its_own(tmp_path: Path) -> None:
    file = str(table(tmp_path / "my data: #1.csv", "smiles,% @y", NUMBERS))
    written, copied = load_space(file), tmp_path / "copy.yaml"
    copied.write_text(space_text(file), encoding="utf-8")
    again = load_space(str(copied))
    assert again.definition == written.definition
    assert (written.name, written.source) == ("my-data-1", f"written for {file}")


@pytest.mark.parametrize("name", [n for n in space_names() if not n.startswith("ogbg")])
def test_the_text_as_it_is_searched_reads_as_the_same_space(tmp_path: Path, name: str) -> None:
    space = load_space(name, ["training.weight_decay={choice: [0.0, 1e-5]}"])
    file = tmp_path / "space.yaml"
    file.write_text(searched_text(space), encoding="utf-8")
    again = load_space(str(file))
    assert again.parameters() == space.parameters()
    assert again.defaults == space.defaults
    assert again.points_to_evaluate == space.points_to_evaluate
    assert again.limits == space.limits
    assert yaml.safe_load(file.read_text())["data"]["name"] == name


@pytest.mark.parametrize("alike", [True, False])
def test_no_softmax_is_searched_where_all_nodes_are_alike(tmp_path: Path, alike: bool) -> None:
    edges = torch.tensor([[0, 1], [1, 2]])
    graphs = [
        Data(edge_index=edges, y=float(i), num_nodes=3, x=torch.arange(3)[:, None] % (2 - alike))
        for i in range(20)
    ]
    file = Dataset.from_pyg(graphs).save(tmp_path / "mine.npz")
    found = load_space(str(file)).definition["model"]["softmax"]
    assert found == (False if alike else {"choice": [True, False]})
