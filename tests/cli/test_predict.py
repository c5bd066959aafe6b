"""predict: a run on own molecules, then new ones."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest
import torch
from torch_geometric.data import Data

from pdf_search import Dataset
from pdf_search.cli.verbs.predict import _write
from pdf_search.errors import FullDiskError
from pdf_search.results import Store
from tests.cli.conftest import Run
from tests.cli.test_train import SMALL
from tests.reports import samples


def test_new_molecules(run: Run, home: Path) -> None:
    run("train", "freesolv", *SMALL, "--epochs", 1, "--seeds", 2, "--name", "two")
    (home / "new.csv").write_text("id,smiles\n1,CCO\n2,nonsense\n3,c1ccccc1\n")
    words = ["predict", "two", "--csv", home / "new.csv"]
    result = run(*words)
    table = pd.read_csv(io.StringIO(result.stdout))
    assert table["id"].tolist() == [1, 2, 3]
    target = table.columns[2].removeprefix("predicted_")
    assert table[f"predicted_{target}"].isna().tolist() == [False, True, False]
    assert table[f"spread_{target}"].dropna().min() > 0
    assert "3 rows, mean and spread over 2 replicates; 1 without" in result.stderr
    same = run(*words, "--to", home / "new.csv", code=2)
    assert "is the file to predict, which it would replace" in same.stderr
    run(*words, "--to", home / "out.csv")
    assert (home / "out.csv").read_text() == result.stdout
    rows = json.loads(run(*words, "--json").stdout)
    assert rows["without_prediction"] == 1
    assert rows["rows"][1][f"predicted_{target}"] is None
    assert rows["rows"][0][f"predicted_{target}"] == table[f"predicted_{target}"][0]
    lines = (" a , CCO ", ",", "", "\x1blast,CC")  # one of empty cells, one for a terminal
    (home / "odd.csv").write_text("\n".join(["id,smiles", *lines, ""]))
    odd = run("predict", "two", "--csv", home / "odd.csv").stdout.splitlines()
    assert len(odd) == 4
    assert [line[:8] for line in odd[1::2]] == [" a , CCO", "\x1blast,CC"]  # as they are
    assert re.match(",,.*[^,]$", odd[2])  # the reason
    (home / "de.txt").write_text(
        "\ufeffid;smiles;id;\r\n1;CCO;2;\r\n"
    )  # semicolons, doubled, nameless
    (home / "new elements.csv").write_text("smiles\nCCO\nC[Si](C)(C)C\n")
    unseen = run("predict", "two", "--csv", home / "new elements.csv").stderr
    assert "note: 1 row has an element that no training molecule has: Si (line 3)" in unseen
    assert "note: 1 of 2 rows is unlike those of the training: see the column unlike" in unseen
    assert "training" not in result.stderr
    german = run("predict", "two", "--csv", home / "de.txt")
    assert "note: the cells of the file are separated by semicolons" in german.stderr
    assert german.stdout.startswith(f"id,smiles,id,,predicted_{target},")
    assert german.stdout.splitlines()[1].startswith("1,CCO,2,,")
    doubled = run("predict", "two", "--csv", home / "de.txt", "--json", code=2)
    assert "--json: the columns 'id' are there more than once" in doubled.stderr
    (home / "none.csv").write_text("id,smiles\nCC,1.5\nCCO,2.5\n")
    none = run(*words[:3], home / "none.csv", "--to", home / "none-out.csv", code=1).stderr
    assert "none of the 2 rows has a prediction, see the column reason: is 'smiles' the" in none
    assert len((home / "none-out.csv").read_text().splitlines()) == 3
    (home / "mark.csv").write_text('id,smiles\n"a,CCO\nb,CC\n')
    assert "line 2: a quotation mark" in run(*words[:3], home / "mark.csv", code=1).stderr
    (home / "wide.csv").write_bytes("id,smiles\n1,CCO\n".encode("utf-16"))
    assert "--csv: " in (wide := run(*words[:3], home / "wide.csv", code=1).stderr)
    assert "it is UTF-16" in wide
    assert "no file" in run("predict", "two", "--csv", "gone.csv", code=1).stderr
    assert (
        "no column 'SMILES' (--smiles): did you mean smiles?"
        in run(*words, "--smiles", "SMILES", code=1).stderr
    )
    for place, why in (
        (home / "no/x.csv", "there is no folder"),
        (home, "is a folder: name a file in it"),
        ("-", "leave -o out, and the predictions go to standard output"),
    ):
        refused = run(*words, "--to", place, code=2).stderr
        assert why in refused
        assert refused.count("\n") == 1  # before anything is read or said


def test_new_graphs(run: Run, home: Path) -> None:
    def saved(name: str, *features: float) -> Path:
        edges = torch.tensor([[0, 1], [1, 2]])
        graphs = [
            Data(x=torch.full((3, 8), value), edge_index=edges, y=float(i))
            for i, value in enumerate(features)
        ]
        return Dataset.from_pyg(graphs).save(home / name)

    saved("mine.npz", *(i / 30 for i in range(30)))
    run("train", home / "mine.npz", *SMALL, "--epochs", 1, "--name", "own")
    some = run("predict", "own", saved("some.npz", 0.5, 3e38, 0.25))
    table = pd.read_csv(io.StringIO(some.stdout), keep_default_na=False)
    assert table["reason"].tolist() == ["", "the model's output for it is not finite", ""]
    assert (table["predicted_y"] == "").tolist() == [False, True, False]
    assert "3 graphs, one replicate, so no spread; 1 without a prediction, see" in some.stderr
    none = run("predict", "own", saved("none.npz", 3e38), code=1).stderr
    assert "none of the 1 graph has a prediction, see the column reason: are the features" in none
    gone = run("predict", "own", home / "gone.npz", code=1).stderr
    assert f"error: the file to predict: no file or folder {home / 'gone.npz'}" in gone


def test_a_run_without_a_model_is_refused_before_anything_is_prepared(run: Run, home: Path) -> None:
    (home / "new.csv").write_text("smiles\nCCO\n")
    run("train", "freesolv", *SMALL, "--epochs", 1, "--name", "bare")
    (home / "runs" / "bare" / "checkpoint.pt").unlink()
    for words in (["predict", "bare", "--csv", home / "new.csv"], ["explain", "bare"]):
        refused = run(*words, "--cache", home / "none", code=2)
        assert "holds no trained model" in refused.stderr
        assert "train it again" in refused.stderr
    assert not (home / "none").exists()


def test_the_predictor_without_a_model_is_named_as_such(run: Run, home: Path) -> None:
    folder = home / "runs" / "night"
    folder.mkdir(parents=True)
    with Store(f"sqlite:///{folder / 'results.db'}") as store:
        record = samples.sweep()
        samples.search(store, record)
        samples.confirm(store, record, (15, 3), (1.1, 1.2))
    (home / "new.csv").write_text("smiles\nCCO\n")
    words = ["--phase", "confirm", "--csv", home / "new.csv"]
    told = run("predict", "night", "--trial", 2, *words, code=2).stderr
    assert "trial 2 of night (confirm) is the predictor without a model" in told
    assert "the confirmed ones are 0 (confirm of 15), 1 (confirm of 3)" in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_named_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdf_search.full_disk.free_bytes", lambda _: 512)
    with pytest.raises(FullDiskError) as caught:
        _write("smiles\nCCO\n", Path("/dev/full"))
    assert str(caught.value) == (
        "-o /dev/full: the disk of /dev is full (512 bytes are free). Make room, or name a file on "
        "another disk"
    )
