"""tables taxonomy: printed, and written in every form."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.cli.conftest import Run


def test_printed_and_written(run: Run, home: Path) -> None:
    printed = run("tables", "taxonomy").stdout
    assert "JacobiConv" in printed
    folder = home / "runs" / "tables"
    assert {p.name for p in folder.iterdir()} == {
        f"taxonomy.{kind}" for kind in ("md", "tex", "csv", "html")
    }
    with (folder / "taxonomy.csv").open(encoding="utf-8") as file:
        rows = {(r["line"], r["column"]): r["printed"] for r in csv.DictReader(file)}
    assert rows["PGSO", "learnable D"] == "Yes"
    assert rows["PNA", "architecture"] == "(d)"
