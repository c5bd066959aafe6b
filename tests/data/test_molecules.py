"""Own molecules and the embedded FreeSolv."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, lookup, prepare, statistics
from pdf_search.errors import DataError
from pdf_search.records import Task
from tests.data.conftest import Load, edges_of


def csv(folder: Path, text: str, name: str = "mine.csv", **keys: object) -> DataConfig:
    path = folder / name
    path.write_text(text)
    return DataConfig.model_validate({"name": "csv", "path": str(path), **keys})


def prepared(config: DataConfig, folder: Path) -> Prepared:
    return load_prepared(prepare(config, cache=folder / "cache"))


def test_freesolv_comes_with_the_package(freesolv: Prepared) -> None:
    found = statistics(freesolv)
    assert (found["graphs"], found["edgeless"], found["unit"]) == (642, 3, "kcal/mol")
    assert freesolv.info.metric == "rmse"
    assert freesolv.target_names == ("expt",)
    values = freesolv.graphs.targets
    assert values[:3, 0].tolist() == pytest.approx([-11.01, -4.87, 1.83])
    assert np.sqrt(np.mean((values - values.mean()) ** 2)) == pytest.approx(3.84, abs=0.01)


def test_freesolv_names_its_authors_and_licence() -> None:
    text = (files("pdf_search.data") / "freesolv" / "LICENSE.md").read_text()
    assert "Mobley" in text
    assert "Guthrie" in text
    assert "CC BY 4.0" in text


def test_freesolv_has_the_graphs_of_ogbs_set(freesolv: Prepared, load_whole: Load) -> None:
    theirs = load_whole("ogbg-molfreesolv").graphs
    by_target = np.argsort(theirs.targets[:, 0]), np.argsort(freesolv.graphs.targets[:, 0])
    counts = [g.node_count[o] for g, o in zip((theirs, freesolv.graphs), by_target, strict=True)]
    assert sorted(counts[0].tolist()) == sorted(counts[1].tolist())


def test_round_trip(tmp_path: Path) -> None:
    text = 'id,smiles,y,z\n"a, b",CCO,1.5,\n\nx,C,-2,4\nx,[Na+].[Cl-],nan,1e1\n'
    config = csv(tmp_path, text, targets=("y", "z"))
    info = lookup(config)
    assert (info.task, info.metric, info.title) == (Task.REGRESSION, "mae", "mine")
    data = prepared(config, tmp_path)
    assert data.info == info
    assert data.target_names == ("y", "z")
    expected = np.array([[1.5, np.nan], [-2, 4], [np.nan, 10]], np.float32)
    np.testing.assert_array_equal(data.graphs.targets, expected)
    assert data.graphs.node_count.tolist() == [3, 1, 2]
    assert edges_of(data, 0) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert edges_of(data, 1) == edges_of(data, 2) == set()
    assert data.graphs.nodes[:3, 0].tolist() == [5, 5, 7]


def test_molecules_without_any_bond(tmp_path: Path) -> None:
    data = prepared(csv(tmp_path, "smiles,y\nC,1.5\nO,2\n"), tmp_path)
    assert data.graphs.edges.shape == (2, 0)
    assert data.graphs.edge_types.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_zero_and_one_are_labels(tmp_path: Path) -> None:
    config = csv(tmp_path, "smiles,a,b\nC,1,\nCC,0,1\n", targets=("a", "b"))
    info = lookup(config)
    assert (info.task, info.metric) == (Task.MULTILABEL, "rocauc")
    assert info.shape is not None
    assert info.shape.outputs == 2
    assert lookup(config.model_copy(update={"task": Task.REGRESSION})).metric == "mae"
    assert lookup(config.model_copy(update={"metric": "ap"})).metric == "ap"


def test_labels_that_are_all_the_same_are_refused(tmp_path: Path) -> None:
    config = csv(tmp_path, "smiles,y\nCC,1\nCCO,1\nC,\n", targets=("y",))
    with pytest.raises(DataError, match=r"every label in y is the same.*choose other"):
        prepared(config, tmp_path)


def test_classes_are_numbered_by_their_sorted_labels(tmp_path: Path) -> None:
    text = "smiles,class\nC,10\nCC,9\nCCC,10\nO,2\n"
    data = prepared(csv(tmp_path, text, task="multiclass"), tmp_path)
    assert data.class_names == ("2", "9", "10")
    assert data.graphs.targets[:, 0].tolist() == [2, 1, 2, 0]
    assert data.info.metric == "accuracy"
    names = prepared(csv(tmp_path, "smiles,c\nC,red\nO,blue\n", task="multiclass"), tmp_path)
    assert names.class_names == ("blue", "red")


def test_a_tsv_with_a_byte_order_mark(tmp_path: Path) -> None:
    config = csv(tmp_path, "\ufeffSMI\ty\nC\t1.5\n", name="mine.tsv", smiles="SMI")
    assert prepared(config, tmp_path).graphs.targets.tolist() == [[1.5]]


def test_invalid_smiles_are_reported_at_once_with_lines_and_reasons(tmp_path: Path) -> None:
    text = 'smiles,note,y\nCCO,"two\nlines",1\nC(,,2\nCFC,,3\n,,4\nc1ccccc1,,5\n'
    config = csv(tmp_path, text, targets=("y",))
    with pytest.raises(DataError) as caught:
        prepare(config, cache=tmp_path / "cache")
    message = str(caught.value)
    assert (
        "3 of 5 SMILES in column 'smiles' cannot be read; correct these lines or remove" in message
    )
    assert "line 4: 'C(': not a SMILES string" in message
    assert "line 5: 'CFC': Explicit valence for atom # 1 F" in message
    assert "line 6: '': the cell is empty" in message
    assert "line 3:" not in message
    assert "line 7:" not in message


def test_every_invalid_line_is_named_however_many(tmp_path: Path) -> None:
    text = "smiles,y\n" + "".join(f"X,{i}.5\n" for i in range(120))
    with pytest.raises(DataError) as caught:
        prepare(csv(tmp_path, text), cache=tmp_path / "cache")
    assert "and lines 52, 53," in str(caught.value)
    assert str(caught.value).endswith("120, 121")


def test_rdkit_stays_silent(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("smiles,y\nCFC,1\nC(,2\n")
    code = (
        "from pdf_search.config import DataConfig\nfrom pdf_search.data import prepare\n"
        "from pdf_search.errors import DataError\nfrom pathlib import Path\n"
        "try: prepare(DataConfig(name='csv', path='mine.csv'), cache=Path('cache'))\n"
        "except DataError: print('refused')\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("refused\n", "")


@pytest.mark.parametrize(
    ("text", "keys", "message"),
    [
        (
            "smile,y\nC,1\n",
            {},
            r"no column 'smiles' \(--smiles or data.smiles\): did you mean smile\?",
        ),
        ("SMILES,y\nC,1\n", {}, "did you mean SMILES"),
        ("smiles,logP\nC,1\n", {"targets": ("logp",)}, "did you mean logP"),
        (
            "smiles,a,b\nC,1,2\n",
            {},
            r"no target is named: choose with --target or data\.targets out of a, b",
        ),
        ("smiles\nC\n", {}, "a target column is needed"),
        ("smiles,y\n", {}, "a header but no rows"),
        ("", {}, "it is empty"),
        ("smiles,y,y\nC,1,2\n", {"targets": ("y",)}, "columns appear twice: y"),
        ("smiles,y\nC,1\nCC,1,2\n", {}, "line 3: 3 cells, not 2"),
        ("smiles,y\nC,1\nCC,high\nO,3\n", {}, "line 3: 'high'"),
        (
            "smiles,y\nC,red\nCC,blue\n",
            {},
            r"for class names --task classification \(data\.task=multiclass\)",
        ),
        ("smiles,y\nC,inf\n", {}, "line 2: 'inf' is out of range"),
        ("smiles,y\nC,\n", {}, "no value at all in y"),
        ("smiles,a,b\nC,1,2\n", {"targets": ("a", "b")}, "a holds only 0 and 1"),
        ("smiles,y\nC,2\n", {"task": "multilabel"}, "line 2: y = 2"),
        ("smiles,y\nC,1e300\nO,2\n", {}, "line 2: '1e300' is out of range"),
        ("smiles,y\nC,2\nO,1_50\n", {}, "line 3: '1_50'"),
        ("smiles,y\nC,2\nO,\u0661\n", {}, "line 3: '\u0661'"),
        ("smiles,y\nC,a\nO,\n", {"task": "multiclass"}, "line 3"),
        ("smiles,y\nC,a\n", {"task": "multiclass"}, "the single class 'a'"),
        ("smiles,y\nC,1\n", {"targets": ("y", "y")}, "repeats a column"),
        ("smiles,y\nC,1\nCC,0\n", {"metric": "rmse"}, "fitting: rocauc, ap"),
    ],
)
def test_tables_that_cannot_be_used(
    tmp_path: Path, text: str, keys: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        lookup(csv(tmp_path, text, **keys))


def column(values: list[float]) -> str:
    return "smiles,y\n" + "".join(f"C,{value!r}\n" for value in values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1e9 + i for i in range(28)], "'y': its 28 distinct values become 1 when .*27 become"),
        ([1.5, 1e-50, 2e-50, 0], "4 distinct values become 2 .*subtract an offset .* or rescale"),
        ([0.5, *(1e9 + i for i in range(28))], "29 distinct values become 2"),
    ],
)
def test_targets_that_32_bits_cannot_tell_apart(
    tmp_path: Path, values: list[float], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        lookup(csv(tmp_path, column(values)))


def test_long_decimals_that_happen_to_round_alike_are_no_problem(tmp_path: Path) -> None:
    values = [*np.random.default_rng(0).normal(size=200).tolist(), 1.00000000001, 1.00000000002]
    assert lookup(csv(tmp_path, column(values))).task is Task.REGRESSION


def test_missing_file_and_missing_path(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"no file {tmp_path / 'none.csv'}"):
        lookup(DataConfig(name="csv", path=str(tmp_path / "none.csv")))
    with pytest.raises(DataError, match=r"data\.path .* is missing"):
        lookup(DataConfig(name="csv"))
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(DataError, match="not a UTF-8 text file"):
        lookup(DataConfig(name="csv", path=str(binary)))


def test_the_file_is_known_by_its_content(tmp_path: Path) -> None:
    config = csv(tmp_path, "smiles,y\nC,1.5\n")
    first = prepare(config, cache=tmp_path / "cache")
    csv(tmp_path, "smiles,y\nC,1.6\n")
    second = prepare(config, cache=tmp_path / "cache")
    csv(tmp_path, "smiles,y\nC,1.5\n")
    assert first != second
    assert prepare(config, cache=tmp_path / "cache") == first
    assert load_prepared(first).fingerprint != load_prepared(second).fingerprint
