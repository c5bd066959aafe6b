"""Tables that belong to no study as files: Markdown, LaTeX, CSV, and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports.grid.grid import Grid
from reports.grid.grid_texts import tables_as_files
from reports.pages.environment import templates
from reports.write import write_files


def write_grids(name: str, grids: Sequence[Grid], folder: Path) -> list[Path]:
    """Write tables that belong to no study, and NAME.html.

    Raises:
        StoreError: the folder cannot be written.
    """
    page = templates().get_template("tables.html.j2")
    html = page.render(title=grids[0].heading, grids=grids)
    return write_files(folder, tables_as_files(name, grids) | {f"{name}.html": html})
