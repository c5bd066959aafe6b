"""Writing tables that belong to no study as Markdown, LaTeX, CSV and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports.grid.grid import Grid
from reports.grid.grid_texts import tables_as_files
from reports.pages.environment import templates
from reports.write import write_files


def write_grids(name: str, grids: Sequence[Grid], folder: Path) -> list[Path]:
    """Write all tables into NAME.csv, NAME.md, NAME.tex and NAME.html; returns the paths.

    Raises:
        StoreError: the folder cannot be written.
    """
    page = templates().get_template("tables.html.j2")
    html = page.render(title=grids[0].heading, grids=grids)
    files = tables_as_files(name, grids) | {f"{name}.html": html}
    return write_files(folder, files, option="--out")
