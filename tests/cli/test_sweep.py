"""A real sweep of own molecules from the command line, and everything that is done with it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pdf_search.errors import StoreError
from pdf_search.records import Phase, State
from pdf_search.results import Store
from pdf_search.sweep.tune.ray_session import one_ray
from tests.cli.conftest import run_here, start
from tests.cli.test_data import MOLECULES
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.ray,
    # Ray drops the handles of the processes that it has ended.
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]

SPACE = """
data: {name: csv, path: own.csv, smiles: SMILES, targets: [logS]}
budget: {trials: 3, epochs: 2, confirm: {top_k: 1, seeds: 2}}
basis: {eps: [-0.3], k: 2}
model: {hidden: {choice: [4, 8, 16]}, layers: 1}
training: {epochs: 400, batch_size: 8, learning_rate: {range: [1e-3, 1e-2], log: true}}
"""


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """A folder in which the sweep ``mine`` was run, with what it printed."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "own.csv").write_text(MOLECULES)
    (folder / "mine.yaml").write_text(SPACE)
    process = start(folder, cache, "sweep", "mine.yaml", "--tensorboard")
    output, messages = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, messages
    (folder / "stdout").write_text(output)
    (folder / "stderr").write_text(messages)
    return folder


@pytest.fixture(autouse=True)
def _there(swept: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(swept)
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(cache))


@pytest.fixture(scope="module")
def _one_ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Verbs in this process share a Ray; ``swept`` and the interrupted sweep start their own."""
    with one_ray(tmp_path_factory.mktemp("ray")):
        yield


def shown(name: str = "mine") -> list[dict[str, Any]]:
    trials: list[dict[str, Any]] = json.loads(run_here("show", name, "--json").stdout)["trials"]
    return trials


def test_files_and_words(swept: Path) -> None:
    folder = swept / "runs" / "mine"
    report = {path.name for path in (folder / "report").iterdir()}
    assert {"table.md", "table.csv", "table.tex", "leaderboard.csv", "report.html"} <= report
    log = (folder / "sweep.log").read_text()
    assert "A new study created" in log
    assert "ray.tune" not in log  # it had nothing to tell
    curves = {path.parent.relative_to(folder).as_posix() for path in folder.rglob("*.tfevents.*")}
    trials = ("search/0000", "search/0001", "search/0002", "confirm/0000")
    assert curves == {f"tensorboard/{trial}" for trial in trials}
    table = pd.read_parquet(folder / "predictions.parquet")
    columns = {"split", "index", "task", "replicate", "target", "prediction"}
    assert columns <= set(table.columns)
    assert "RMSE" in (swept / "stdout").read_text() or "MAE" in (swept / "stdout").read_text()
    messages = (swept / "stderr").read_text()
    assert "3 trials of up to 2 epochs" in messages
    assert "[3/3 done" in messages
    assert f"report: {folder / 'report'}" in messages
    assert "Traceback" not in messages
    assert "Warning" not in messages


def test_leaderboard_has_state_and_protocol(swept: Path) -> None:
    board = pd.read_csv(swept / "runs" / "mine" / "report" / "leaderboard.csv")
    assert set(board["state"]) == {"COMPLETE"}
    assert set(board["protocol"]) == {"split"}


def test_report_without_torch_or_ray(swept: Path, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pdf_search.cli import app\n"
        f"app(['report', 'mine', '--to', {str(tmp_path / 'again')!r}], standalone_mode=False)\n"
        "heavy = {'torch', 'ray', 'torch_geometric'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first = (swept / "runs" / "mine" / "report" / "table.md").read_text()
    assert (tmp_path / "again" / "table.md").read_text() == first
    files = json.loads(run_here("report", "mine", "--json").stdout)["files"]
    assert all(Path(file).is_file() for file in files)


def test_list_and_show() -> None:
    (line,) = [s for s in json.loads(run_here("list", "--json").stdout) if s["name"] == "mine"]
    assert (line["finished"], line["confirmed"]) == (3, 1)
    assert "mine" in run_here("list").stdout
    assert "COMPLETE" in run_here("show", "mine").stdout
    one = json.loads(run_here("show", "mine", "--trial", 0, "--json").stdout)
    assert len(one["epochs"]) == 2
    assert "configuration" in run_here("show", "mine", "--trial", 0).stdout
    assert "no trial 99" in run_here("show", "mine", "--trial", 99, code=1).stderr


def test_taken_name() -> None:
    result = run_here("sweep", "mine.yaml", "--name", "mine", code=2)
    assert "pdf-search resume mine" in result.stderr


@pytest.mark.usefixtures("_one_ray")
def test_extend_confirm_rerun() -> None:
    for command in ("resume mine --trials 4", "confirm mine --top-k 2", "rerun mine 1"):
        run_here(*command.split())
    trials = shown()
    search = [trial for trial in trials if trial["phase"] == "search"]
    confirmed = {trial["origin"] for trial in trials if trial["phase"] == "confirm"}
    assert sorted(trial["number"] for trial in search) == [0, 1, 2, 3, 4]
    assert (search[-1]["origin"], search[-1]["rank"]) == ("rerun of 1", None)
    assert len(confirmed - {"baseline"}) >= 2
    (line,) = [s for s in json.loads(run_here("list", "--json").stdout) if s["name"] == "mine"]
    assert (line["trials"], line["finished"]) == (4, 4)


def test_interrupt_and_resume(swept: Path, cache: Path) -> None:
    words = ["sweep", "mine.yaml", "--name", "cut", "--epochs", 60, "--method", "random"]
    process = start(swept, cache, *words, "--top-k", 0)
    database = swept / "runs" / "cut" / "results.db"
    wait_for_epoch(database, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, messages = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, messages
    assert "go on with: pdf-search resume cut" in messages
    assert "Traceback" not in messages
    assert (swept / "runs" / "cut" / "report" / "table.md").is_file()
    process = start(swept, cache, "resume", "cut")
    _, messages = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, messages
    trials = shown("cut")
    assert sorted(trial["number"] for trial in trials) == [0, 1, 2]
    assert {trial["phase"] for trial in trials} == {"search"}
    assert {(trial["state"], trial["epochs"]) for trial in trials} == {("COMPLETE", 60)}


@pytest.mark.usefixtures("_one_ray")
def test_quickstart_twice() -> None:
    words = ["--trials", 2, "--epochs", 1, "--top-k", 1, "--seeds", 1]
    for expected in ("2 trials of up to 1 epoch;", "sweep quickstart exists: going on with it"):
        messages = run_here("quickstart", *words).stderr
        assert expected in messages
        assert "report:" in messages
    assert len([t for t in shown("quickstart") if t["phase"] == "search"]) == 2


def wait_for_epoch(database: Path, process: subprocess.Popen[str]) -> None:
    """Until the first epoch is recorded."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1]
        try:
            with Store(f"sqlite:///{database}", create=False) as store:
                if store.all_epochs("cut", Phase.SEARCH):
                    return
        except StoreError:
            pass
        time.sleep(0.3)
    raise AssertionError("no epoch was recorded")


@pytest.fixture
def copied(swept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sweep under another name, elsewhere; its file and cache are not there."""
    folder = tmp_path.resolve() / "colleague"
    shutil.copytree(swept / "runs" / "mine", folder / "theirs")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(folder / "cache"))
    (folder / "new.csv").write_text("SMILES\nCCO\nCCC\n")
    return folder


def test_a_copied_sweep_is_enough(swept: Path, copied: Path) -> None:
    words = ["--trial", 0, "--phase", "confirm", "--csv", copied / "new.csv"]
    found = run_here("predict", copied / "theirs", *words).stdout
    original = run_here("predict", swept / "runs" / "mine", *words)
    assert found == original.stdout
    assert "model: trial 0 of phase confirm (confirm of " in original.stderr
    run_here("explain", "theirs", "--out", ".", "--trial", 1)
    assert (copied / "theirs" / "explain" / "search-1" / "explain.html").is_file()
    shutil.rmtree(copied / "theirs" / "report")
    told = run_here("report", "theirs", "--out", ".").stderr
    assert "theirs (recorded as mine)" in told
    assert (copied / "theirs" / "report" / "table.md").is_file()
    assert not (copied / "cache").exists()
    with Store(f"sqlite:///{copied / 'theirs' / 'results.db'}", create=False) as store:
        places = [t.checkpoint for t in store.trials("mine") if t.state is State.COMPLETE]
    places = [place for place in places if place]  # the baseline has none
    assert len(places) >= 4
    assert all((copied / "theirs" / place).is_dir() for place in places)
    assert not any(Path(place).is_absolute() for place in places)


def test_a_copied_sweep_goes_on_in_its_own_folder(swept: Path, copied: Path) -> None:
    before = sorted((swept / "runs" / "mine").rglob("*"))
    with Store(f"sqlite:///{copied / 'theirs' / 'results.db'}", create=False) as store:
        more = store.sweep("mine").trials + 1
    own = swept / "own.csv"
    own.rename(swept / "away.csv")
    try:
        result = run_here("resume", copied / "theirs", "--trials", more)
    finally:
        (swept / "away.csv").rename(own)
    assert "theirs (recorded as mine)" in result.stderr
    with Store(f"sqlite:///{copied / 'theirs' / 'results.db'}", create=False) as store:
        search = store.trials("mine", Phase.SEARCH)
    assert sum(not trial.is_rerun for trial in search) == more
    assert search[-1].state is State.COMPLETE
    kept = [trial for trial in search if trial.checkpoint]
    assert all((copied / "theirs" / trial.checkpoint).is_dir() for trial in kept)
    assert sorted((swept / "runs" / "mine").rglob("*")) == before


def test_the_folder_keeps_the_space_for_another_sweep() -> None:
    kept = json.loads(run_here("plan", "runs/mine/space.yaml", "--json").stdout)
    first = json.loads(run_here("plan", "mine.yaml", "--json").stdout)
    for key in ("fingerprint", "first", "trials", "epochs", "configurations", "metric"):
        assert kept[key] == first[key]


@pytest.mark.usefixtures("_one_ray")
def test_a_sweep_predicts_with_its_first_confirmed_trial(swept: Path) -> None:
    (swept / "three.csv").write_text("SMILES\nCCO\nCC\nC\n")
    said = run_here("predict", "mine", "three.csv", "-o", "first.csv").stderr
    assert "model: trial 0 of phase confirm (confirm of" in said
    run_here("predict", "mine", "three.csv", "-o", "same.csv", "--trial", 0, "--phase", "confirm")
    assert (swept / "first.csv").read_bytes() == (swept / "same.csv").read_bytes()
