"""``dashboard`` and ``watch`` on the command line."""

from __future__ import annotations

import json
import signal
import socket
import sys
import urllib.request
from pathlib import Path

import pytest

from pdf_search.records import METRICS
from pdf_search.results import Store
from pdf_search.sweep.samplers.optuna_storage import open_study, opened_storage
from tests.cli.conftest import Run, start
from tests.patience import PATIENCE
from tests.reports import samples


@pytest.fixture
def night(home: Path) -> Path:
    database = home / "runs" / "night" / "results.db"
    with Store(str(database)) as store:
        record = samples.sweep()
        samples.search(store, record, trials=3)
    with opened_storage(str(database)) as storage:
        open_study(storage, "night", METRICS["rmse"])
    return database


@pytest.mark.parametrize("by_name", [True, False])
def test_the_dashboard_serves_the_study_to_this_machine(
    home: Path, cache: Path, night: Path, by_name: bool
) -> None:
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard")
    words = ["night"] if by_name else ["--db", night]
    process = start(home, cache, "dashboard", *words, "--port", "0")
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("optuna-dashboard: http://127.0.0.1:")
        address = line.split()[1]
        with urllib.request.urlopen(f"{address}api/studies", timeout=PATIENCE) as answer:
            studies = json.load(answer)["study_summaries"]
        assert [study["study_name"] for study in studies] == ["night"]
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=PATIENCE)
        assert rest == "dashboard closed\n"
        assert process.returncode == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.usefixtures("night")
def test_without_optuna_dashboard_it_says_how_to_install_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna_dashboard", None)
    told = run("dashboard", "night", code=1).stderr
    assert told == (
        "error: optuna-dashboard is not installed: pip install 'pdf-search[dashboard]'\n"
    )


def test_the_dashboard_needs_a_database(run: Run) -> None:
    assert "name a sweep, or a database" in run("dashboard", code=2).stderr
    assert "no sweep in" in run("dashboard", "absent", code=1).stderr


@pytest.mark.usefixtures("night")
def test_a_port_that_is_taken_is_named(run: Run) -> None:
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = run("dashboard", "night", "--port", port, code=1).stderr
    assert told == f"error: --port {port}: Address already in use; choose another\n"


@pytest.mark.usefixtures("night")
def test_watching_what_has_ended_says_so(run: Run) -> None:
    told = run("watch", "night").stderr
    assert "search 3/16" in told
    assert told.endswith("no process runs night now: `pdf-search show night` shows it\n")
    assert "no sweep in" in run("watch", "absent", code=1).stderr
