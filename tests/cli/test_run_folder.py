"""A run folder is enough: file and cache gone, the folder copied, renamed or from long ago."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Run, run_here
from tests.cli.test_data import MOLECULES
from tests.cli.test_train import SMALL
from tests.inference.old import copy_old_run

ONE = ("--channels", 1)  # pictures of one channel, not of six
NEW = "SMILES\nCCCCCCCCC(=O)OC\nCCOC\nCCC=C\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run ``m``, the cache it used, and what it predicted beside its file."""
    folder = tmp_path_factory.mktemp("trained").resolve()
    (folder / "own.csv").write_text(MOLECULES)
    (folder / "new.csv").write_text(NEW)
    sets = ["data.name=csv", f"data.path={folder / 'own.csv'}", "data.targets=[logS]"]
    words = [word for value in (*sets, "data.smiles=SMILES") for word in ("--set", value)]
    place = ["--out", folder / "runs", "--cache", folder / "cache"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_here(
            *("train", "freesolv", "--name", "m", *SMALL, *words, *place),
            *("--epochs", 2, "--seeds", 2, "--device", "cpu"),
        )
        before = run_here("predict", "m", "--csv", "new.csv", *place).stdout
        (folder / "before.csv").write_text(before)
        explained = run_here("explain", "m", *ONE, *place, "--to", "explained", "--json").stdout
        (folder / "explained.json").write_text(explained)
        (folder / "words").write_text(json.dumps([str(word) for word in words]))
    return folder


def smaller(explained: str) -> dict[str, object]:
    found = json.loads(explained)
    return {name: value for name, value in found.items() if name not in ("folder", "files")}


@pytest.mark.parametrize("file", ["gone", "longer", "not a table"])
def test_the_training_file_may_change(run: Run, home: Path, trained: Path, file: str) -> None:
    shutil.copytree(trained, home / "all")
    config = home / "all" / "runs" / "m" / "config.yaml"
    assert str(trained / "own.csv") in config.read_text()
    content = {"gone": None, "longer": MOLECULES + "m30,CCN,0.5\n", "not a table": "\0"}[file]
    own = trained / "own.csv"
    try:
        own.unlink()
        if content is not None:
            own.write_text(content)
        words = ["m", "--out", home / "all" / "runs", "--cache", home / "none"]
        found = run("predict", *words, "--csv", trained / "new.csv").stdout
        explained = run("explain", *words, *ONE, "--json").stdout
    finally:
        own.write_text(MOLECULES)
    assert found == (trained / "before.csv").read_text()
    assert smaller(explained) == smaller((trained / "explained.json").read_text())
    assert not (home / "none").exists()  # nothing was prepared


@pytest.mark.parametrize("way", ["path", "relative path", "new name"])
def test_a_copied_folder_is_enough(run: Run, home: Path, trained: Path, way: str) -> None:
    target = {"path": home / "a b" / "m", "relative path": home / "x" / "y"}.get(
        way, home / "runs" / "new name"
    )
    shutil.copytree(trained / "runs" / "m", target)
    name = {"path": target, "relative path": "x/y"}.get(way, "new name")
    words = [name, "--cache", home / "none"]
    found = run("predict", *words, "--csv", trained / "new.csv").stdout
    assert found == (trained / "before.csv").read_text()
    run("explain", *words, *ONE)
    assert (target / "explain" / "explain.html").is_file()


def test_a_graph_that_is_not_kept_needs_the_data(run: Run, home: Path, trained: Path) -> None:
    kept = json.loads((trained / "explained.json").read_text())["graph"]
    other = (kept + 1) % 30 if kept != 29 else 0
    shutil.copytree(trained / "runs" / "m", home / "m")
    words = ["explain", home / "m", *ONE, "--cache", home / "none", "--to", home / "to", "--graph"]
    assert f"Graph {other} " in run(*words, other).stdout  # the prepared data are still there
    (trained / "cache").rename(trained / "away")
    try:
        assert f"Graph {other} " in run(*words, other).stdout  # the file is: prepared again
        shutil.rmtree(home / "none")
        (trained / "own.csv").write_text(MOLECULES + "m30,CCN,0.5\n")
        changed = run(*words, other, code=2).stderr
        (trained / "own.csv").unlink()
        gone = run(*words, other, code=2).stderr
        assert f"Graph {kept} " in run(*words, kept).stdout
        (home / "m" / "graphs.npz").write_bytes(b"damaged")
        damaged = run(*words[:-1], code=2).stderr
        (home / "m" / "graphs.npz").unlink()
        missing = run(*words[:-1], code=2).stderr
        run("predict", home / "m", "--cache", home / "none", "--csv", trained / "new.csv")
    finally:
        (trained / "away").rename(trained / "cache")
        (trained / "own.csv").write_text(MOLECULES)
    assert f"--graph {other}: only graphs " in changed
    assert "own.csv changed since the training" in changed
    assert "no file " in gone
    assert "graphs.npz: damaged" in damaged
    assert "no graphs are kept with the model" in missing


@pytest.mark.parametrize("renamed", [False, True])
def test_train_goes_on_with_its_prepared_data(
    run: Run, home: Path, trained: Path, renamed: bool
) -> None:
    shutil.copytree(trained / "runs" / "m", home / "runs" / ("other" if renamed else "m"))
    name = home / "runs" / "other" if renamed else "m"
    sets = json.loads((trained / "words").read_text())
    words = ["train", "freesolv", *SMALL, *sets, "--seeds", 2, "--device", "cpu", "--resume"]
    words += ["--name", name, "--cache", home / "none", "--epochs"]
    (trained / "own.csv").unlink()
    try:
        run(*words, 3)
        assert not (home / "none").exists()
    finally:
        (trained / "cache").rename(trained / "away")
    try:
        gone = run(*words, 4, code=2).stderr
        (trained / "own.csv").write_text(MOLECULES + "m30,CCN,0.5\n")
        changed = run(*words, 4, code=1).stderr
        (trained / "own.csv").write_text(MOLECULES)
        run(*words, 4)
    finally:
        (trained / "away").rename(trained / "cache")
        (trained / "own.csv").write_text(MOLECULES)
    assert "no file " in gone
    assert "is not what the run began with" in changed
    assert "Restore " in changed
    assert str(trained / "own.csv") in changed


@pytest.fixture
def old(home: Path) -> Path:
    """Runs of an older version, whose sweep was moved since; see ``copy_old_run``."""
    return copy_old_run(home)


def same_values(found: pd.DataFrame, recorded: Path) -> None:
    """The columns of an older version have its values; a later one's may stand beside them."""
    known = pd.read_csv(recorded)
    pd.testing.assert_frame_equal(found[list(known)], known, rtol=1e-5)


def test_a_run_of_an_older_version_predicts_as_it_did(run: Run, old: Path) -> None:
    words = ["m", "--csv", "new.csv", "--cache", old / "cache"]
    found = pd.read_csv(io.StringIO(run("predict", *words).stdout))
    same_values(found, old / "predicted_m.csv")
    run("explain", "m", "--cache", old / "cache", "--graph", 3)
    (old / "molecules.csv").rename(old / "away.csv")
    assert run("predict", *words).stdout  # what was prepared is found by its fingerprint
    words[-1] = old / "none"
    assert "no file " in run("predict", *words, code=1).stderr
    (old / "molecules.csv").write_text((old / "away.csv").read_text() + "CCN,0.5\n")
    assert "saved with data" in run("predict", *words, code=1).stderr


@pytest.mark.parametrize("name", ["s", "renamed"])
def test_a_moved_sweep_of_an_older_version(run: Run, old: Path, name: str) -> None:
    if name == "renamed":
        (old / "runs" / "s").rename(old / "runs" / name)
    words = [name, "--trial", 0, "--phase", "confirm", "--cache", old / "cache"]
    found = pd.read_csv(io.StringIO(run("predict", *words, "--csv", "new.csv").stdout))
    same_values(found, old / "predicted_s.csv")
    run("explain", name, "--trial", 1, "--cache", old / "cache")
    assert (old / "runs" / name / "explain" / "search-1" / "explain.html").is_file()
    place = run("show", name, "--trial", 0, "--phase", "confirm").stdout
    assert f"{old.resolve()}/runs/{name}/trials/confirm/" in place
    result = run("report", name)
    assert (old / "runs" / name / "report" / "table.md").is_file()
    told = f"{name} (recorded as s)"
    assert (told in result.stderr) == (name != "s")
    listed = json.loads(run("list", "--json").stdout)
    assert [(row["name"], row["recorded_as"]) for row in listed] == [(name, "s")]
    assert ("(recorded as s)" in run("list").stdout) == (name != "s")
