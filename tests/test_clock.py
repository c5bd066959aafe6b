"""A clock that is set back during a run changes no decision: none is made by the time of day."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OF_DAY = ("time.time", "time.time_ns", "datetime.now", "datetime.datetime.now", "datetime.today")
# What they write down is shown, or at most sorted by.
STAMPS = {
    "pdf_search/api/export.py",
    "pdf_search/cli/ending.py",
    "pdf_search/data/prepared/build.py",
    "pdf_search/sweep/trial_log/trial_log.py",
}


def readings() -> Iterator[tuple[str, str]]:
    """File and name of each call that reads the time of day."""
    for room in ("pdf_search", "reports"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and ast.unparse(node) in OF_DAY:
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(node)
                if isinstance(node, ast.ImportFrom) and node.module == "time":
                    yield from ((path.name, alias.name) for alias in node.names)


def test_the_time_of_day_is_written_down_and_nothing_else() -> None:
    found = list(readings())
    assert {file for file, _ in found} == STAMPS
    assert not {name for _, name in found if name.startswith("time")}
