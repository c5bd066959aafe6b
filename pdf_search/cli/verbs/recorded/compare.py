"""The verb ``compare`` sets recorded sweeps side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, OutputOptions
from pdf_search.cli.output import print_json, print_result, say, terminal_width
from pdf_search.errors import ConfigError
from pdf_search.paths import expanded

if TYPE_CHECKING:
    from reports import SweepData


@option_groups
def compare(
    names: Annotated[list[str], Argument(metavar="NAME NAME...", help="Two sweeps or more.")],
    output: OutputOptions,
    to: Annotated[
        Path | None, Option(metavar="FOLDER", help="Write the tables and a page there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set sweeps side by side, and say whether their winners differ measurably.

    The winner of a sweep is the first of its confirmed trials. Differences are to the first sweep.
    """
    from reports import compared, grid_plain, sweeps_grid, write_comparison

    if len(names) < 2 or len(set(names)) < len(names):
        raise ConfigError("name two different sweeps or more: `pdf-search list` lists them")
    sweeps = [(name, _load(name, output)) for name in names]
    grid = sweeps_grid(sweeps)
    if to is not None:
        folder = expanded(to).resolve()
        write_comparison(sweeps, folder)
        say(f"page: {folder / 'compare.html'}")
    if as_json:
        rows = {line.name: dict(zip(grid.columns, line.cells, strict=True)) for line in grid.lines}
        found = [compared(sweeps[0], other) for other in sweeps[1:]]
        print_json(
            {
                "sweeps": names,
                "rows": rows,
                "compared": found,
                "notes": grid.notes,
                "notices": grid.notices,
            }
        )
        return
    print_result(
        "\n".join(
            [
                grid_plain(grid, width=terminal_width()),
                *grid.notes,
                *map("partial: {}".format, grid.notices),
            ]
        )
    )


def _load(name: str, output: OutputOptions) -> SweepData:
    from reports import load_sweep

    folder = recorded_folder(name, output)
    with folder.open_store() as store:
        return load_sweep(store, folder.name, called=folder.called, where=folder.where)
