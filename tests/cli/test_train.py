"""train: one configuration on real molecules, its files, and how it is continued."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest
import torch
import yaml

from pdf_search.config import parse_trial
from pdf_search.data.raw.ogb_package import import_ogb
from reports.grid.numbers import format_both
from tests.cli.conftest import Run, run_here, start

SMALL = [
    "--set",
    "model.hidden=16",
    "--set",
    "model.layers=1",
    "--set",
    "basis={eps: [-0.3], k: 2}",
]


def rmse(table: pd.DataFrame) -> float:
    return float(np.sqrt(((table["target"] - table["prediction"]) ** 2).mean()))


def test_result_and_files(run: Run, home: Path) -> None:
    words = ["freesolv", *SMALL, "--epochs", 2, "--seeds", 2, "--name", "two", "--json"]
    result = json.loads(run("train", *words).stdout)
    folder = home / "runs" / "two"
    files = {"checkpoint.pt", "config.yaml", "curve.csv", "predictions.parquet"}
    assert files <= set(result["files"])
    assert (result["state"], result["epochs"], result["test"]["n"]) == ("COMPLETE", 2, 2)
    assert result["baseline"]["test"]["mean"] == pytest.approx(3.351, abs=1e-3)
    config = parse_trial(yaml.safe_load((folder / "config.yaml").read_text()))
    assert (config.seeds, config.epochs, config.model.hidden) == ((0, 1), 2, 16)
    assert len(pd.read_csv(folder / "curve.csv")) == 4
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert state["epoch"] == 2
    table = pd.read_parquet(folder / "predictions.parquet")
    for number, replicate in enumerate(result["replicates"]):
        for split in ("valid", "test"):
            part = table[(table["split"] == split) & (table["replicate"] == number)]
            assert rmse(part) == pytest.approx(replicate[split], rel=1e-6)


def small_disk(monkeypatch: pytest.MonkeyPatch, name: str, free: int) -> None:
    def left(place: str | Path) -> int:
        return free if Path(place).name == name else 10**12

    monkeypatch.setattr("pdf_search.full_disk.free_bytes", left)


def test_nothing_begins_on_a_disk_without_room(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_disk(monkeypatch, "little", 900_000)
    said = run("train", "freesolv", *SMALL, "--name", "little", code=1).stderr
    assert "runs/little has 900,000 bytes free; the run's files need about 1," in said
    assert "or give --out a place that has it" in said
    assert not (home / "runs" / "little").exists()


def test_a_disk_that_fills_up_is_named_with_how_to_go_on(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:

        def fills_up(*_: object) -> NoReturn:
            small_disk(broken, "filled", 512)
            raise RuntimeError("PytorchStreamWriter failed writing file data/1")

        words = ["freesolv", *SMALL, "--epochs", "1", "--name", "filled"]
        broken.setattr("pdf_search.training.artifacts.run_folder.run_trial", fills_up)
        broken.setattr(sys, "argv", ["pdf-search", "train", *words])
        said = run("train", *words, code=1).stderr
    assert f"the disk of {home / 'runs' / 'filled'} is full (512 bytes are free)" in said
    assert "Make room, then continue with: pdf-search train freesolv" in said
    assert said.endswith("--name filled --resume\n")
    run("train", *words, "--resume")


def test_another_network_laid_over_the_data_set(run: Run, home: Path) -> None:
    words = ["--setting", "taxonomy/gcn", "--set", "model.hidden=16", "--epochs", 1]
    run("train", "freesolv", *words)
    config = yaml.safe_load((home / "runs" / "train-freesolv-gcn" / "config.yaml").read_text())
    assert config["model"]["filter"] == "fixed"
    assert config["model"]["coefficients"] == [0, 1]
    assert config["basis"]["pairs"] == [[-0.5, 1]]
    unknown = run("train", "freesolv", "--setting", "taxonomy/gat", code=2)
    assert "did you mean" in unknown.stderr


def test_says_how_it_goes(run: Run) -> None:
    result = run("train", "freesolv", *SMALL, "--epochs", 2)
    assert "epoch 1/2" in result.stderr
    assert "epoch 2/2" in result.stderr
    assert "mean predictor" in result.stdout
    assert "RMSE (kcal/mol)" in result.stdout


def test_a_name_is_not_taken_twice(run: Run, home: Path) -> None:
    words = ["train", "freesolv", *SMALL, "--epochs", 1]
    run(*words)
    run(*words)
    assert {p.name for p in (home / "runs").iterdir()} == {"train-freesolv", "train-freesolv-2"}
    assert "exists" in run(*words, "--name", "train-freesolv", code=2).stderr


def test_continued_run_gives_the_same_curve(run: Run, home: Path) -> None:
    words = ["train", "freesolv", *SMALL]
    run(*words, "--epochs", 2, "--name", "a")
    run(*words, "--epochs", 4, "--name", "a", "--resume")
    run(*words, "--epochs", 4, "--name", "b")
    curves = [pd.read_csv(home / "runs" / name / "curve.csv") for name in "ab"]
    for column in ("epoch", "train_loss", "valid", "test"):
        assert curves[0][column].tolist() == curves[1][column].tolist()
    refused = run(*words, "--seed", 5, "--epochs", 4, "--name", "a", "--resume", code=1)
    assert "saved with configuration" in refused.stderr


def test_a_run_of_version_1_is_continued_as_such(run: Run, home: Path) -> None:
    words = ["train", "freesolv", *SMALL, "--name", "old"]
    ones = ["--set", "data.featuriser=1", "--set", "data.split_version=1"]
    run(*words, *ones, "--epochs", 1)
    file = home / "runs" / "old" / "config.yaml"
    lines = file.read_text().splitlines(keepends=True)
    new = ("featuriser", "split_version", "split_by")  # which the first version did not write
    file.write_text("".join(line for line in lines if not line.strip().startswith(new)))
    run(*words, "--epochs", 2, "--resume")
    assert len(pd.read_csv(home / "runs" / "old" / "curve.csv")) == 2
    refused = run(*words, "--set", "data.featuriser=2", "--epochs", 3, "--resume", code=1)
    assert "data.featuriser was 1, now 2" in refused.stderr


def test_diverged_run_fails_and_keeps_its_configuration(run: Run, home: Path) -> None:
    words = ["train", "freesolv", *SMALL, "--epochs", 2, "--name", "wild"]
    wild = run(*words, "--set", "training.learning_rate=1e30", "--json", code=1)
    assert json.loads(wild.stdout)["state"] == "DIVERGED"
    assert "error: the run is DIVERGED" in wild.stderr
    file = home / "runs" / "wild" / "config.yaml"
    before = file.read_text()
    refused = run(*words, "--resume", code=1)
    assert "training.learning_rate was 1e+30, now" in refused.stderr
    assert file.read_text() == before


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:7"])
def test_a_gpu_that_is_not_there_leaves_nothing(run: Run, home: Path, device: str) -> None:
    refused = run("train", "freesolv", *SMALL, "--device", device, "--name", "x", code=1)
    assert "no GPU is visible here" in refused.stderr
    assert not (home / "runs" / "x").exists()


@pytest.mark.parametrize("device", ["foo", "", "mps", "meta", "cuda:x"])
def test_an_unknown_device_is_refused_before_anything_is_made(
    run: Run, home: Path, device: str
) -> None:
    refused = run("train", "freesolv", *SMALL, "--device", device, "--name", "x", code=2)
    assert "auto, cpu, cuda or cuda:N" in refused.stderr
    assert not (home / "runs" / "x").exists()


def test_interrupt_and_continue(home: Path, cache: Path) -> None:
    words = ["train", "freesolv", *SMALL, "--name", "long"]
    with start(home, cache, *words) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("epoch 2/"):
                break
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted; continue with: pdf-search train freesolv" in rest
    assert "--resume" in rest
    assert "Traceback" not in rest
    done = len(pd.read_csv(home / "runs" / "long" / "curve.csv"))
    result: dict[str, Any] = json.loads(
        run_here(*words, "--epochs", done + 1, "--resume", "--json").stdout
    )
    assert result["epochs"] == done + 1
    assert len(pd.read_csv(home / "runs" / "long" / "curve.csv")) == done + 1


@pytest.mark.slow
def test_roc_auc_is_that_of_ogb(run: Run, home: Path, excerpts: Path) -> None:
    words = ["ogbg-molbace", "--data-root", excerpts, "--epochs", 2, *SMALL, "--name", "bace"]
    result = json.loads(run("train", *words, "--json").stdout)
    table = pd.read_parquet(home / "runs" / "bace" / "predictions.parquet")
    evaluator = import_ogb("ogb.graphproppred").Evaluator("ogbg-molbace")
    for split in ("valid", "test"):
        part = table[table["split"] == split]
        value = evaluator.eval(
            {
                "y_true": part[["target"]].to_numpy(),
                "y_pred": part[["prediction"]].to_numpy(),
            }
        )
        assert value["rocauc"] == pytest.approx(result[split]["mean"], abs=1e-9)


def test_a_metric_that_is_undefined_on_a_part(run: Run, home: Path) -> None:
    """Two tasks, all labels of the test part 0: 0 of 2 tasks, and the run is whole."""
    words = ["--set", "data.name=csv", "--set", "data.path=two.csv"]
    words += ["--set", "data.targets=[a, b]", *SMALL, "--epochs", 2]
    smiles = ["C" * (1 + i % 7) + "O" * (i // 7 % 3) + "N" * (i // 21) for i in range(60)]
    lines = [f"{text},{i % 2},{i // 2 % 2}" for i, text in enumerate(smiles)]
    (home / "two.csv").write_text("\n".join(["smiles,a,b", *lines]) + "\n")
    whole = json.loads(run("train", "freesolv", *words, "--name", "whole", "--json").stdout)
    assert whole["state"] == "COMPLETE"
    assert [target["name"] for target in whole["targets"]] == ["a", "b"]
    for part in ("valid", "test"):
        mean = np.mean([target[part]["mean"] for target in whole["targets"]])
        assert mean == pytest.approx(whole[part]["mean"], abs=1e-9)
    table = pd.read_parquet(home / "runs" / "whole" / "predictions.parquet")
    hidden = sorted(set(table[table["split"] == "test"]["index"]))
    for row in hidden:
        lines[row] = f"{smiles[row]},0,0"
    (home / "two.csv").write_text("\n".join(["smiles,a,b", *lines]) + "\n")
    result = run("train", "freesolv", *words, "--name", "undefined")
    assert "0 of 2 tasks have graphs of both classes: the metric is undefined" in result.stderr
    assert "test ROC-AUC (%) undefined" in result.stderr
    assert "COMPLETE" in result.stdout
    assert "ROC-AUC (%) is undefined on the test part" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    shown = next(lines[i + 1 :] for i, line in enumerate(lines) if line[:1] == ["target"])
    assert [line[0] for line in shown[:2]] == ["a", "b"]
    assert [line[-2:] for line in shown[:2]] == [["undefined", "0"]] * 2


def test_each_target_is_shown_with_its_own_value(run: Run, home: Path) -> None:
    words = ["--set", "data.name=csv", "--set", "data.path=two.csv", "--set", "data.targets=[a, b]"]
    words += ["--set", "data.metric=rmse"]
    smiles = ["C" * (1 + i % 7) + "O" * (i // 7 % 3) + "N" * (i // 21) for i in range(60)]
    lines = [f"{text},{i * i % 17 / 3},{100 * (i % 5)}.5" for i, text in enumerate(smiles)]
    (home / "two.csv").write_text("\n".join(["smiles,a,b", *lines]) + "\n")
    shown = run("train", "freesolv", *words, *SMALL, "--epochs", 1, "--seeds", 2)
    folder = home / "runs" / "train-freesolv"
    assert "RMSE" in shown.stdout
    table = pd.read_parquet(folder / "predictions.parquet")
    for task, name in enumerate("ab"):
        part = table[(table["split"] == "test") & (table["task"] == task)]
        each = [rmse(rows) for _, rows in part.groupby("replicate")]
        line = next(text for text in shown.stdout.splitlines() if text.startswith(f"{name} "))
        assert format_both(float(np.mean(each)), float(np.std(each))) in line


WINDOW = "basis={eps: [-0.1, -0.3, -0.5], k: {low: 1, high: 4}, select: compact}"


def test_compact_bases_are_listed_and_kept(run: Run, home: Path) -> None:
    words = [*SMALL[:-1], WINDOW, "--name", "compact"]
    run("train", "freesolv", *words, "--epochs", 1)
    file = home / "runs" / "compact" / "config.yaml"
    listed = yaml.safe_load(file.read_text())["basis"]
    assert (len(listed["pairs"]), listed["select"], listed["eps"]) == (8, "full", None)
    run("train", "freesolv", *words, "--epochs", 2, "--resume")
    assert len(pd.read_csv(file.with_name("curve.csv"))) == 2
    narrow = [*SMALL[:-1], WINDOW.replace("-0.5", "-0.4"), "--name", "compact"]
    refused = run("train", "freesolv", *narrow, "--epochs", 2, "--resume", code=1)
    assert "basis.pairs was" in refused.stderr
