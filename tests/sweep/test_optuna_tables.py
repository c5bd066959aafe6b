"""Optuna's tables in the results database: whole or not there, whenever a process is killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from pdf_search.records import METRICS
from pdf_search.sweep.samplers.optuna_storage import open_storage, open_study, opened_storage

UNIQUE = "SELECT count(*) FROM pragma_index_list('studies') WHERE \"unique\""


class Killed(BaseException):
    """In place of a kill: no later statement is executed, and nothing is committed."""


@pytest.mark.parametrize("statements", [0, 1, 2, 5, 10])
def test_a_kill_while_the_tables_are_made_leaves_none_or_all(
    tmp_path: Path, statements: int
) -> None:
    passed = 0

    def kill(_connection: sa.Connection, _cursor: Any, statement: str, *_: Any) -> None:
        nonlocal passed
        passed += "CREATE" in statement
        if passed > statements:
            raise Killed

    file = str(tmp_path / "results.db")
    sa.event.listen(sa.Engine, "before_cursor_execute", kill)
    try:
        with pytest.raises(Killed):
            open_storage(file)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", kill)
    for _ in range(2):
        with opened_storage(file) as storage:
            open_study(storage, "night", METRICS["rmse"])
    with closing(sqlite3.connect(file)) as made:
        assert made.execute("SELECT study_name FROM studies").fetchall() == [("night",)]
        assert made.execute(UNIQUE).fetchone() == (1,)
