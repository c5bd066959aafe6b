"""What ``show`` and ``list`` say of a sweep whose process is gone, and of a damaged one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pdf_search.records import Phase, State, TrialRecord
from pdf_search.results import Store
from pdf_search.runs import locked
from pdf_search.space import load_space
from tests.cli.conftest import Run
from tests.sweep.helpers import NAME, report, sweep_in


@pytest.fixture
def left(home: Path) -> Path:
    """A sweep as its driver leaves it that is killed."""
    folder = home / "runs" / NAME
    sweep_in(folder, load_space("freesolv"))
    with Store(str(folder / "results.db")) as store:
        for number, state in enumerate([State.COMPLETE, State.RUNNING]):
            store.save_trial(TrialRecord(NAME, Phase.SEARCH, number, {}, "", state, epochs_done=1))
            store.add_epoch(NAME, Phase.SEARCH, number, report(1, 2.0))
    return folder


def test_a_sweep_whose_process_was_killed_is_interrupted(run: Run, left: Path) -> None:
    how = f"interrupted; go on with: pdf-search resume {NAME}"
    with locked(left):
        assert how not in run("show", NAME).stdout
        assert "1 RUNNING" in run("show", NAME).stdout
        assert how not in run("list").stdout
    (left / ".lock").write_text("")  # it stays when its process is killed
    shown = run("show", NAME).stdout
    assert f"partial: {how}" in shown
    assert "1 INTERRUPTED" in shown
    assert "RUNNING" not in shown
    assert f"{NAME}: {how}" in run("list").stdout
    one = json.loads(run("show", NAME, "--trial", 1, "--json").stdout)["trial"]
    assert one["state"] == "INTERRUPTED"
    assert (
        one["message"] == f"the process of the sweep is gone; `pdf-search resume {NAME}` continues"
    )
    (row,) = json.loads(run("list", "--json").stdout)
    assert row["interrupted"] == how


def test_a_sweep_that_was_to_confirm_nothing_is_listed_as_such(run: Run, left: Path) -> None:
    with Store(str(left / "results.db")) as store:
        store.update_sweep(NAME, options={"top_k": 0})
    (row,) = json.loads(run("list", "--json").stdout)
    assert row["not_asked"] == "no confirmation asked for (--top-k 0)"
    assert "1/2     not asked for  RMSE" in run("list").stdout
    said = " ".join(run("predict", NAME, "new.csv", code=2).stderr.split())
    assert f"train its best again with `pdf-search confirm {NAME} --top-k 3`" in said


def test_a_sweep_whose_process_may_be_elsewhere_is_said_to_run(run: Run, left: Path) -> None:
    """The database may be reached from another machine than the folder."""
    database = left.parent / "elsewhere.db"
    (left / "results.db").rename(database)
    (left / ".lock").unlink(missing_ok=True)
    left.rmdir()
    assert "1 RUNNING" in run("show", NAME, "--db", database).stdout


def cut(database: Path) -> None:
    content = database.read_bytes()
    database.write_bytes(content[: len(content) // 2])


def scrawl(database: Path) -> None:
    database.write_bytes(b"no database" * 100)


def unknown_state(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE pdf_trial SET state = 'HALF'")
        connection.commit()


def no_json(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE pdf_sweep SET options = '{'")
        connection.commit()


@pytest.mark.parametrize("damage", [cut, scrawl, unknown_state, no_json])
def test_list_names_a_damaged_sweep_and_goes_on(
    run: Run, left: Path, damage: object, home: Path
) -> None:
    sweep_in(home / "runs" / "whole", load_space("freesolv"), "whole")
    assert callable(damage)
    damage(left / "results.db")
    listed = run("list")
    assert "whole" in listed.stdout
    assert f"warning: {left / 'results.db'}: " in listed.stderr
