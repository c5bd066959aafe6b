"""``cache`` says what lies in the cache, and removes what is named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import BasisConfig, newest
from pdf_search.data import cache_entries, cache_folder, cached_bank, load_prepared, prepare
from pdf_search.data.cached_moments import cached_moments
from pdf_search.space import data_config
from tests.cli.conftest import Run
from tests.cli.test_data import MOLECULES


@pytest.fixture(autouse=True)
def beside(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of compiled kernels in place of the one beside the code."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("pdf_search.kernels.compile_cache.BESIDE", home / "__pycache__")
    return home / "__pycache__"


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


@pytest.mark.usefixtures("folder", "home")
def test_moments_are_of_their_data_set_and_older_ones_are_said_to_be_of_none(
    run: Run, folder: Path
) -> None:
    assert cached_moments_of("mutag", folder).is_file()
    (folder / "moments" / "0123456789abcdef.json").write_text('{"products": [[1.0]]}')
    shown = [line.split("  ")[0] for line in run("cache").stdout.splitlines()]
    assert {"bases MUTAG", "bases of unknown data"} <= set(shown)
    assert "bases" not in shown
    found = json.loads(run("cache", "--json").stdout)["parts"]
    moments = [part["data"] for part in found if Path(part["path"]).parent.name == "moments"]
    assert sorted(moments) == ["", "MUTAG"]
    run("cache", "--clear", "mutag", "--yes")
    assert [file.name for file in (folder / "moments").iterdir()] == ["0123456789abcdef.json"]


def cached_moments_of(name: str, cache: Path) -> Path:
    """The file of the moments of a prepared data set."""
    entry = next(entry for entry in cache_entries(cache) if entry.name == name)
    basis = BasisConfig.model_validate({"eps": [-0.1], "k": 2})
    cached_moments(load_prepared(entry.folder), basis, np.arange(5))
    return next((cache / "moments").glob("*.json"))


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


OURS = ("adamw._step-1.py311.nbi", "adamw._step-1.py311.1.nbc")
OTHERS = ("adamw.cpython-311.pyc", "zoo._f-1.py311.nbi")


def write_kernels(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in (*OURS, *OTHERS):
        (folder / name).write_text("compiled")


def test_kernels_are_shown_and_removed_where_they_are_kept(
    run: Run, folder: Path, beside: Path
) -> None:
    write_kernels(beside)
    found = [p for p in json.loads(run("cache", "--json").stdout)["parts"] if p["outside"]]
    assert {(p["kind"], Path(p["path"]).name) for p in found} == {("kernels", n) for n in OURS}
    assert f"kernels in {beside}" in run("cache").stdout
    run("cache", "--clear", "mutag", "--yes")
    assert len(list(beside.iterdir())) == 4
    assert "removed" in run("cache", "--clear", "kernels", "--yes").stdout
    assert {file.name for file in beside.iterdir()} == set(OTHERS)
    assert "nothing to remove" in run("cache", "--clear", "kernels").stderr
    assert (folder / "prepared").is_dir()


def test_kernels_in_a_named_folder_are_those_of_this_package(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, beside: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home / "numba"))
    write_kernels(beside)  # of another time: nothing is compiled there now
    write_kernels(home / "numba" / "cpu_12ab")
    write_kernels(home / "numba" / "zoo_34cd")
    run("cache", "--clear", "kernels", "--yes")
    left = {file.name for file in (home / "numba" / "cpu_12ab").iterdir()}
    assert left == set(OTHERS)
    assert len(list((home / "numba" / "zoo_34cd").iterdir())) == 4


def test_kernels_in_the_cache_folder_are_counted_once(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder / "kernels"))
    write_kernels(folder / "kernels" / "cpu_12ab")
    assert ("kernels", "") in parts(run)
    assert "kernels in " not in run("cache").stdout
    run("cache", "--clear", "kernels", "--yes")
    assert not list((folder / "kernels").iterdir())
