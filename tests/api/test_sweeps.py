"""The Python interface: a whole small sweep, where notebooks and servers would run it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

import pdf_search
from pdf_search.api import Settings
from pdf_search.errors import ConfigError, SpaceError, StoreError
from pdf_search.space import load_space
from pdf_search.sweep import SweepOptions
from tests.api import run_in_thread
from tests.sweep.helpers import sweep_in

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.ray
def test_a_sweep_off_the_main_thread_in_a_loop_beside_a_ray(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "hydration.csv", tmp_path)
    words = [sys.executable, "-W", "ignore", run_in_thread.__file__, str(tmp_path)]
    done = subprocess.run(
        [*words, str(tmp_path / "cache")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["phases"] == ["search", "confirm", "confirm"]
    assert found["states"] == ["COMPLETE"] * 3
    assert found["best"][:2] == ["confirm", 0]
    assert found["best"][2:] == pytest.approx(found["test"])
    assert found["predicted"] == pytest.approx(found["loaded"])
    assert found["predicted"][0] != found["predicted"][1]
    assert found["report"]
    assert found["resumed"] == ""
    assert "Trial(0 of confirm: test RMSE" in found["again"]
    assert found["ray"] == 7  # the caller's Ray goes on
    with pytest.raises(ConfigError, match="there already"):
        pdf_search.open_sweep(tmp_path / "runs" / "small").best.export(tmp_path / "model")


@pytest.mark.parametrize("name", ["errors.PdfSearchError", "nn.PDFConv", "tune.trainable"])
def test_what_the_pages_name_is_there_after_the_package_alone(name: str) -> None:
    words = [sys.executable, "-W", "ignore", "-c", f"import pdf_search; print(pdf_search.{name})"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_settings_are_those_of_the_command_line() -> None:
    ours = {field.name for field in fields(SweepOptions)} - {"quick"}
    assert set(Settings.__annotations__) == ours


def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no setting trails"):
        pdf_search.run_sweep(EXAMPLES / "hydration.csv", trails=3, quiet=True)  # type: ignore[call-arg]
    for wrong in ({"trials": 2.5}, {"time": float("nan")}, {"concurrent": True}):
        with pytest.raises(ConfigError, match=f"--{next(iter(wrong))} .*: give"):
            pdf_search.run_sweep(EXAMPLES / "hydration.csv", quiet=True, **wrong)  # type: ignore[arg-type]
    with pytest.raises(SpaceError, match=r"settings: model.hidden: Object of type set"):
        pdf_search.load_space("zinc", {"model.hidden": {8, 16}})
    with pytest.raises(StoreError, match="no sweep in"):
        pdf_search.open_sweep("none", out=tmp_path)
    three: Any = 3
    for call, said in (
        (lambda: pdf_search.load(three), "3 is no path: give a text or a pathlib.Path"),
        (lambda: pdf_search.open_sweep(three), "name: 3 does not fit: give the name or the folder"),
        (lambda: pdf_search.open_sweep("night", out=three), "3 is no path"),
        (lambda: pdf_search.load_space(three), "source: 3 does not fit: give the name of a space"),
        (lambda: pdf_search.load_space("zinc", three), "settings: 3 does not fit: give a dict"),
        (lambda: pdf_search.run_sweep(three), "source: 3 does not fit"),
    ):
        with pytest.raises(ConfigError, match=said):
            call()
    with pytest.raises(AttributeError):
        _ = pdf_search.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"target": 3}, "--target 3: write a name"),
        ({"target": ["expt", None]}, "--target None: write a name"),
        ({"smiles": 3}, "--smiles 3: write a name"),
        ({"split": 3}, "--split 3: write a name"),
    ],
)
def test_a_name_that_is_no_text_is_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        pdf_search.load_space(EXAMPLES / "hydration.csv", **words)


def test_a_data_set_is_searched_from_its_file() -> None:
    graphs = pdf_search.Dataset.from_pyg(
        [Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2, y=1.0)]
    )
    with pytest.raises(ConfigError, match=r"save the data set, dataset.save\('mine.npz'\)"):
        pdf_search.run_sweep(graphs)  # type: ignore[arg-type]


def test_a_space_takes_settings_as_python_has_them() -> None:
    space = pdf_search.load_space(
        EXAMPLES / "hydration.csv",
        {"model.hidden": {"choice": [8, 16]}, "training.epochs": 3, "model.softmax": False},
    )
    by_path = {parameter.path: parameter for parameter in space.parameters()}
    assert by_path["model.hidden"].domain.values == (8, 16)
    assert "model.softmax" not in by_path
    assert space.defaults.epochs == 3


def test_a_phase_that_is_none_is_said(tmp_path: Path) -> None:
    sweep_in(tmp_path / "night", load_space("freesolv"), "night")
    sweep = pdf_search.open_sweep("night", out=tmp_path)
    for ask in (lambda: sweep.leaderboard("serch"), lambda: sweep.trial(0, "serch")):
        with pytest.raises(ConfigError, match="phase 'serch': name search or confirm"):
            ask()
    assert sweep.leaderboard("search").empty
