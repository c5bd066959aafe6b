"""Finds the folder of a recorded sweep for a verb, and writes its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pdf_search.cli.options import OutputOptions
from pdf_search.cli.output import say

if TYPE_CHECKING:
    from pdf_search.results import Store
    from pdf_search.sweep import SweepFolder


def recorded_folder(name: str, output: OutputOptions) -> SweepFolder:
    """The folder of a sweep, study or part of one, by its name below ``--out`` or by its path.

    If it was recorded under another name, the user is told.
    """
    from pdf_search.sweep import SweepFolder

    folder = SweepFolder.find(output.out, name, output.url)
    if folder.recorded:
        say(f"{folder.called} (recorded as {folder.name})")
    return folder


def part_names(store: Store, folder: SweepFolder) -> list[str]:
    """The parts of the study in this folder, as they are called now; none of a sweep."""
    from pdf_search.results import study_parts

    return [folder.called_now(part.name) for part in study_parts(store, folder.name)]


def write_tables(store: Store, sweep: SweepFolder, to: Path) -> list[Path]:
    """Write the report of the sweep or study in a folder into ``to``, and list its files."""
    from reports import has_study, write_report, write_study

    if has_study(store, sweep.name):
        return write_study(store, sweep.name, to)
    return write_report(store, sweep.name, to, sweep.predictions, sweep.called, sweep.where)
