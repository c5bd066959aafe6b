"""Finding what was recorded: by its name below --out, or by the path of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pdf_search.cli.options import OutputOptions
from pdf_search.cli.output import say

if TYPE_CHECKING:
    from pdf_search.results import Store
    from pdf_search.sweep import SweepFolder


def recorded_folder(name: str, output: OutputOptions) -> SweepFolder:
    """Where a sweep, study or part of one lies. Another name that it was recorded as is told."""
    from pdf_search.sweep import SweepFolder

    folder = SweepFolder.find(output.out, name, output.url)
    if folder.recorded:
        say(f"{folder.called} was recorded as {folder.name}, which is its name below")
    return folder


def write_tables(store: Store, name: str, folder: Path) -> list[Path]:
    """The report of a sweep, or of the study that the name means."""
    from reports import has_study, write_report, write_study

    write = write_study if has_study(store, name) else write_report
    return write(store, name, folder)
