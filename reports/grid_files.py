"""Tables as files: Markdown, LaTeX, CSV, and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports.environment import templates
from reports.grid import Grid
from reports.grid_texts import grid_csv, grid_latex, grid_markdown
from reports.write import write_files


def tables_as_files(name: str, grids: Sequence[Grid]) -> dict[str, str]:
    """NAME.csv (one line a number), NAME.md and NAME.tex, all tables in each."""
    return {
        f"{name}.csv": grid_csv(grids),
        f"{name}.md": "\n".join(map(grid_markdown, grids)),
        f"{name}.tex": "\n".join(map(grid_latex, grids)),
    }


def write_grids(name: str, grids: Sequence[Grid], folder: Path) -> list[Path]:
    """Write tables that belong to no study, and NAME.html.

    Raises:
        StoreError: the folder cannot be written.
    """
    page = templates().get_template("tables.html.j2")
    html = page.render(title=grids[0].heading, grids=[(grid, grid.footnotes()) for grid in grids])
    return write_files(folder, tables_as_files(name, grids) | {f"{name}.html": html})
