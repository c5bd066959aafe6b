"""Writing the report folder of a study."""

from __future__ import annotations

from pathlib import Path

from pdf_search.imports import known_backend
from pdf_search.results import Store
from reports.grid.grid_texts import tables_as_files
from reports.studies.curves import study_figures
from reports.studies.page import study_html
from reports.studies.study_data import load_study
from reports.studies.study_tables import study_grids
from reports.write import write_files


def write_study(store: Store, name: str, folder: Path) -> list[Path]:
    """Write a study's tables (md, csv, tex), figures (png, pdf) and ``report.html``.

    Everything is computed before the first file changes; each file is replaced as a whole. One file
    holds all tables of the study; ``table.csv`` has one line per number. ``name`` is that of the
    study or of one of its parts. Returns the paths.

    Raises:
        StoreError: there is no such study, or the folder cannot be written.
    """
    with known_backend():
        from reports.studies.plots import images  # noqa: PLC0415 - matplotlib is slow to import

    study = load_study(store, name)
    grids, figures = study_grids(study), study_figures(study)
    files: dict[str, str | bytes] = {
        **tables_as_files("table", grids),
        "report.html": study_html(study, grids, figures),
    }
    for figure in figures:
        files |= images(figure)
    return write_files(folder, files)
