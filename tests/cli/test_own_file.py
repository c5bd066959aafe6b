"""A file of one's own in place of a space or data set: the same options in every verb."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
import torch
from torch_geometric.data import Data

from tests.cli.conftest import Run
from tests.cli.test_own_table import smiles

SMALL = ["--set", "basis={eps: [-0.3], k: 1}", "--set", "model.hidden=8", "--set", "model.layers=1"]


def write(file: Path, bad: str = "") -> Path:
    rows = [f"{text},{i / 4},{i % 2},{i % 3}" for i, text in enumerate(smiles(30))]
    rows += [bad] if bad else []
    file.write_text("\n".join(["mol,y,toxic,group", *rows]) + "\n")
    return file


OWN = ["--smiles", "mol", "--target", "y"]


def test_every_verb_means_the_same_data(run: Run, home: Path) -> None:
    write(home / "mine.csv")
    found = json.loads(run("data", "mine.csv", *OWN, "--json").stdout)
    plan = run("plan", "mine.csv", *OWN, "--json")
    assert found["metric"] == "rmse"
    assert "preparing" not in plan.stderr
    planned = json.loads(plan.stdout)
    assert planned["fingerprint"] == found["fingerprint"]
    assert (planned["name"], planned["metric"], planned["graphs"]) == ("mine", "rmse", 30)
    assert planned["first"]["data"]["targets"] == ["y"]
    shown = json.loads(run("spaces", "mine.csv", *OWN, "--json").stdout)
    assert shown["defaults"]["metric"] == "rmse"
    told = json.loads(run("bases", "mine.csv", *OWN, "--eps", "-0.3", "--k", "1", "--json").stdout)
    assert told["training_graphs"] == 24
    run("train", "mine.csv", *OWN, *SMALL, "--epochs", 1, "--device", "cpu")
    again = ["--epochs", 1, "--device", "cpu", "--name", "train-mine", "--resume"]
    run("train", "mine.csv", *OWN, *SMALL, *again)


def test_the_plan_shows_the_space_and_it_can_be_copied(run: Run, home: Path) -> None:
    write(home / "mine.csv")
    text = run("plan", "mine.csv", *OWN).stdout
    assert "space       mine (written for mine.csv)" in text
    assert f"data: {{name: csv, path: {home / 'mine.csv'}, smiles: mol, targets: [y]}}" in text
    run("spaces", "mine.csv", *OWN, "--copy", "copy.yaml")
    copied = json.loads(run("plan", "copy.yaml", "--json").stdout)
    written = json.loads(run("plan", "mine.csv", *OWN, "--json").stdout)
    assert copied["first"] == written["first"]
    assert "Written for" not in run("plan", "copy.yaml").stdout


def test_a_file_without_a_header_is_refused(run: Run, home: Path) -> None:
    rows = write(home / "mine.csv").read_text().splitlines()[1:]
    (home / "mine.csv").write_text("\n".join(row.rsplit(",", 2)[0] for row in rows) + "\n")
    said = run("data", "mine.csv", code=1).stderr
    assert "the first line seems to be a row, not a header, as it holds" in " ".join(said.split())


def test_guesses_are_said(run: Run, home: Path) -> None:
    write(home / "mine.csv")
    assert "y, toxic, group hold numbers: name it with" in run("plan", "mine.csv", code=1).stderr
    plan = run("plan", "mine.csv", "--target", "toxic").stdout
    assert "SMILES: column mol (guessed: the only one whose cells are SMILES)" in plan
    assert "task: multilabel (guessed: the targets hold only 0 and 1" in plan
    text = run("data", "mine.csv", "--target", "toxic").stdout
    assert "note: SMILES: column mol (guessed" in text
    assert text.count("guessed: the targets hold") == 1
    assert "guessed" not in run("data", "mine.csv", *OWN, "--task", "regression").stdout


@pytest.mark.parametrize("verb", ["data", "plan"])
def test_bad_rows_are_refused_and_left_out_if_asked_for(run: Run, home: Path, verb: str) -> None:
    write(home / "mine.csv", bad="CC,abc,1,2")
    refused = run(verb, "mine.csv", *OWN, code=1).stderr
    assert "line 32: 'abc'" in refused
    assert "--skip-bad-rows leaves these rows out" in refused
    text = run(verb, "mine.csv", *OWN, "--skip-bad-rows").stdout
    assert (
        "1 of 31 rows is left out, as a target in them cannot be read: line 32: y = 'abc'" in text
    )


def test_options_of_a_data_file_are_refused_for_anything_else(run: Run, home: Path) -> None:
    for verb in ("plan", "data", "train", "bases"):
        message = run(verb, "freesolv", "--target", "y", code=2).stderr
        assert "--target: only for a data file" in message
    write(home / "mine.csv")
    assert "no such" not in run("plan", "mine.csv", "--task", "sort", code=2).stderr


def test_graphs_from_a_file_to_predictions(run: Run, home: Path) -> None:
    torch.save([graph(i) for i in range(30)], home / "mine.pt")
    torch.save([graph(i) for i in range(5)], home / "new.pt")
    assert "note: task: multiclass (guessed: y holds integers" in run("data", "mine.pt").stdout
    plan = run("plan", "mine.pt").stdout
    assert "a tenth of 30 graphs tests, which says little: --set protocol=inner gives ten" in plan
    folds = run("plan", "mine.pt", "--set", "protocol=inner").stdout
    assert "10 replicates a trial" in folds
    assert "says little" not in folds
    assert "task: multiclass (guessed: y holds integers; --task regression reads" in plan
    assert "standardise: {choice: [false, true]}" in plan
    run("train", "mine.pt", *SMALL, "--epochs", 1, "--device", "cpu", "--name", "one")
    said = run("predict", "one", "new.pt", "-o", "out.csv").stderr
    assert "5 graphs, one replicate, so no spread" in said
    table = pd.read_csv(home / "out.csv")
    assert table.columns.tolist()[:3] == ["graph", "predicted_class", "probability_0"]
    message = run("plan", "mine.pt", "--split", "scaffold", code=1).stderr
    assert "--split scaffold and --skip-bad-rows are for tables of molecules" in message
    for words in ([], ["new.pt", "--csv", "new.pt"]):
        assert "name one, as in: pdf-search predict" in run("predict", "one", *words, code=2).stderr


def graph(number: int) -> Data:
    n = 3 + number % 4
    edges = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    return Data(edge_index=edges, num_nodes=n, y=torch.tensor(number % 2))
