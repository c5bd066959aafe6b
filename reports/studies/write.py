"""Writing a study's report folder."""

from __future__ import annotations

from pathlib import Path

from pdf_search.results import Store
from reports.grid_texts import grid_csv, grid_latex, grid_markdown
from reports.studies.data import load_study
from reports.studies.tables import study_grids
from reports.write import write_files


def write_study(store: Store, name: str, folder: Path) -> list[Path]:
    """Write the tables of a study (md, csv, tex), its curves and ``report.html`` into ``folder``.

    Everything is computed before the first file changes; each file is replaced as a whole. One
    file holds all tables of the study; ``table.csv`` has one line a number.

    Args:
        name: the study's, or that of one of its parts.

    Raises:
        StoreError: an unknown study, or a folder that cannot be written.
    """
    study = load_study(store, name)
    grids = study_grids(study)
    texts: dict[str, str | bytes] = {
        "table.csv": grid_csv(grids),
        "table.md": "\n".join(map(grid_markdown, grids)),
        "table.tex": "\n".join(map(grid_latex, grids)),
    }
    return write_files(folder, texts)
