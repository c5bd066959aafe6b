"""``cache`` says what lies in the cache, and removes what is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdf_search.config import BasisConfig, newest
from pdf_search.data import cache_folder, cached_bank, load_prepared, prepare
from pdf_search.space import data_config
from tests.cli.conftest import Run
from tests.cli.test_data import MOLECULES


@pytest.fixture
def folder(home: Path, monkeypatch: pytest.MonkeyPatch, excerpts: Path) -> Path:
    """A cache with two prepared data sets, each with a bank, and a download."""
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(home / "cache"))
    (home / "own.csv").write_text(MOLECULES)
    own = {"name": "csv", "path": str(home / "own.csv"), "smiles": "SMILES", "targets": ["logS"]}
    basis = BasisConfig.model_validate({"eps": [-0.1], "k": 2})
    for tree in (own, {"name": "mutag"}):
        data = load_prepared(prepare(data_config(newest(tree), []), excerpts))
        cached_bank(data, basis)
        cached_bank(data, basis.model_copy(update={"standardise": True}))
    download = home / "cache" / "raw" / "TUDataset" / "MUTAG" / "raw"
    download.mkdir(parents=True)
    (download / "MUTAG_A.txt").write_text("1, 2\n" * 100)
    return cache_folder()


def parts(run: Run) -> set[tuple[str, str]]:
    found = json.loads(run("cache", "--json").stdout)
    assert found["size"] == sum(part["size"] for part in found["parts"])
    return {(part["kind"], part["data"]) for part in found["parts"]}


BOTH = {(kind, data) for kind in ("prepared", "bases") for data in ("own", "MUTAG")}


def test_each_part_has_its_kind_and_data_set(run: Run, folder: Path) -> None:
    assert parts(run) == BOTH | {("downloads", "MUTAG")}
    shown = run("cache").stdout
    assert str(folder) in shown
    assert "bases MUTAG" in shown
    assert "total" in shown


def test_a_data_set_is_removed_with_its_bases_and_download(run: Run, folder: Path) -> None:
    assert "give --yes" in run("cache", "--clear", "mutag", code=2).stderr
    assert "removed" in run("cache", "--clear", "mutag", "--yes").stdout
    assert parts(run) == {("prepared", "own"), ("bases", "own")}
    assert (folder / "locks").is_dir()


@pytest.mark.usefixtures("folder")
def test_a_kind_is_removed_and_made_again(run: Run, home: Path) -> None:
    run("cache", "--clear", "prepared", "--clear", "downloads", "--yes")
    assert parts(run) == {("bases", "")}  # nobody knows whose they are
    run("data", "own.csv", "--smiles", "SMILES", "--target", "logS")
    assert parts(run) == {("prepared", "own"), ("bases", "own"), ("bases", "")}
    said = run("cache").stderr
    assert "no run reads" in said
    run("cache", "--clear", "unused", "--yes")
    assert parts(run) == {("prepared", "own"), ("bases", "own")}
    assert (home / "own.csv").is_file()


@pytest.mark.usefixtures("folder")
def test_all_goes_and_an_empty_cache_is_no_error(run: Run) -> None:
    run("cache", "--clear", "all", "--yes")
    assert parts(run) == set()
    assert "nothing to remove" in run("cache", "--clear", "all").stderr
    assert "0.0 MB" in run("cache", "--cache", "absent").stdout
    assert not Path("absent").exists()


@pytest.mark.usefixtures("folder")
def test_a_wrong_word_names_the_right_ones(run: Run) -> None:
    said = " ".join(run("cache", "--clear", "bank", "--yes", code=2).stderr.split())
    assert "--clear bank: name one of all, bases, downloads, kernels, MUTAG, own" in said
    assert parts(run) == BOTH | {("downloads", "MUTAG")}
