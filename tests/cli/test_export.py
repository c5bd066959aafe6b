"""export: a model with its card, from a run, as it is and trained on all data."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd

import pdf_search
from tests.cli.conftest import Run
from tests.cli.test_train import SMALL


def test_where_no_model_can_be_written_is_told_before_one_is_loaded(run: Run, home: Path) -> None:
    (home / "file").touch()
    (home / "full").mkdir()
    (home / "full" / "a.txt").touch()
    for to, said in (
        ("file", "--to file: it is a file; name a new or an empty folder"),
        ("file/x", f"--to file/x: {home / 'file'} is a file; name a new or an empty folder"),
        ("full", "--to full: it is there already; name a new or an empty folder"),
    ):
        told = run("export", "no-such-run", "--to", to, code=2).stderr
        assert said in " ".join(told.split())


def test_a_run_is_exported_and_used(run: Run, home: Path) -> None:
    run("train", "freesolv", *SMALL, "--epochs", 2, "--seeds", 2, "--name", "two")
    (home / "new.csv").write_text("smiles\nCCO\nc1ccccc1\n")
    told = run("export", "two", "--to", "model")
    assert told.stdout == "model\n"
    assert sorted(f.name for f in (home / "model").iterdir()) == [
        "README.md",
        "config.json",
        "facts.json",
        "model.safetensors",
    ]
    card = (home / "model" / "README.md").read_text()
    for words in (
        "| test RMSE (kcal/mol) |",
        "protocol",
        "The model of this score was cut after 2 of ",
        "two of `pdf-search train`",
        "fingerprint",
    ):
        assert words in card
    assert "refit" not in card
    (home / "runs").rename(home / "elsewhere")
    ours = run("predict", "two", "new.csv", "--out", "elsewhere")
    theirs = run("predict", home / "model", "new.csv")
    assert theirs.stdout == ours.stdout
    assert "over 2 replicates" in theirs.stderr
    table = pd.read_csv(io.StringIO(theirs.stdout))
    loaded = pdf_search.load(home / "model").predict(["CCO", "c1ccccc1"])
    column = table.columns[1]
    np.testing.assert_allclose(loaded[column], table[column], rtol=1e-6)

    refused = run("export", "two", "--out", "elsewhere", "--to", "model", code=2)
    assert "--to model: it is there already" in refused.stderr
    assert "exported model already" in run("export", "model", "--to", "again", code=2).stderr
    assert "an exported model, without graphs" in run("explain", "model", code=2).stderr

    whole = run("export", "two", "--out", "elsewhere", "--to", "whole", "--refit")
    assert "training on all 642 graphs" in whole.stderr
    assert (
        "the score is that of the model before the refit"
        in (home / "whole" / "README.md").read_text()
    )
    refitted = pdf_search.load(home / "whole").predict(["CCO", "c1ccccc1"])
    assert abs(refitted[column] - loaded[column]).max() > 1e-3
