"""Writing the report folder of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pdf_search.atomic import whole_file
from pdf_search.errors import StoreError
from pdf_search.results import Store
from reports.findings.findings import search_findings
from reports.grid.grid_texts import grid_csv, grid_markdown, tables_as_files
from reports.pages.comparison import comparison_html
from reports.pages.html import report_html
from reports.sweep_data import SweepData, load_sweep
from reports.tables.bases import bases_markdown
from reports.tables.compared_sweeps import sweeps_grid
from reports.tables.epochs_spent import epochs_grid
from reports.tables.importance_map import basis_map, map_grid
from reports.tables.leaderboard import leaderboard_grid
from reports.tables.pareto import pareto_grid
from reports.tables.result_table import result_grid
from reports.tables.target_table import target_grid


def write_report(
    store: Store,
    sweep: str,
    folder: Path,
    predictions: Path | None = None,
    called: str = "",
    where: str = "",
) -> list[Path]:
    """Write the leaderboard, the result table and ``report.html`` into ``folder``.

    The files are ``leaderboard`` (md, csv), ``table`` (md, csv, tex) and ``findings`` (md, csv:
    what the search found, trials on a Pareto line, epochs by state); if the data set has several
    targets, ``targets`` (md, csv, tex) holds the value of each; ``bases.md`` says what the graphs
    tell of (eps, k), and ``importance.md`` what a confirmed network needs of them, where that is
    recorded. ``predictions`` is the Parquet file of the confirmed trials' predictions, if any: the
    page shows them against the targets. ``called`` is the sweep's name on the command line, where
    that is another, and ``where`` the options that tell where it is. Everything is computed before
    the first file changes; each file is replaced as a whole.

    Raises:
        StoreError: there is no such sweep, or the folder cannot be written.
    """
    data = load_sweep(store, sweep, called=called, where=where)
    table, board, targets = result_grid(data), leaderboard_grid(data), target_grid(data)
    known = basis_map(data)
    costs = [grid for grid in (pareto_grid(data), epochs_grid(data)) if grid]
    return write_files(
        folder,
        {
            "leaderboard.csv": grid_csv([board]),
            "leaderboard.md": grid_markdown(board),
            **tables_as_files("table", [table]),
            "findings.csv": grid_csv(costs),
            "findings.md": "\n".join(
                [search_findings(data).markdown(), *map(grid_markdown, costs)]
            ),
            "report.html": report_html(data, table, board, targets, predictions),
            **(tables_as_files("targets", [targets]) if targets else {}),
            **({"importance.md": grid_markdown(map_grid(known))} if known else {}),
            **({"bases.md": bases_markdown(data.bases, sweep)} if data.bases else {}),
        },
    )


def write_comparison(sweeps: Sequence[tuple[str, SweepData]], folder: Path) -> list[Path]:
    """Write sweeps side by side, given with their names: ``compare`` (md, csv, tex, html).

    Raises:
        StoreError: the folder cannot be written.
    """
    grid = sweeps_grid(sweeps)
    page = {"compare.html": comparison_html(sweeps, grid)}
    return write_files(folder, tables_as_files("compare", [grid]) | page)


def write_files(
    folder: Path, contents: Mapping[str, str | bytes], option: str = "--to"
) -> list[Path]:
    """Write files, given as name to content, each as a whole; returns the paths.

    ``option`` is that of the command line which names another folder.

    Raises:
        StoreError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / name, content) for name, content in contents.items()]
    except OSError as error:
        raise StoreError(
            f"the report cannot be written to {folder}: {error.strerror}; "
            f"name another folder: {option} FOLDER"
        ) from error


def _write(path: Path, content: str | bytes) -> Path:
    with whole_file(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
