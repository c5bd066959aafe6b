"""The verb ``report`` writes the report of a sweep or study again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from pdf_search.cli.folders import recorded_folder, write_tables
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, OutputOptions, SweepName
from pdf_search.cli.output import print_json, print_table, say
from pdf_search.paths import expanded


@option_groups
def report(
    name: SweepName,
    output: OutputOptions,
    to: Annotated[
        Path | None, Option(metavar="FOLDER", help="Default: report/ in the sweep's folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the tables and the page of a sweep or study again, from its database alone."""
    folder = recorded_folder(name, output)
    target = expanded(to).resolve() if to is not None else folder.report
    with folder.open_store() as store:
        files = write_tables(store, folder, target)
    if as_json:
        print_json({"name": folder.name, "folder": target, "files": files})
        return
    print_table((target / "table.md").read_text(encoding="utf-8"))
    say(f"report: {target}")
