"""The verb ``doctor`` checks what sweeps need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions
from pdf_search.cli.output import print_json, print_result
from pdf_search.errors import PdfSearchError


@option_groups
def doctor(
    source: DataOptions,
    out_folder: Annotated[Path, Option("--out", help="Folder of all sweeps.")] = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Check what sweeps need, by doing what a trial does. Exit code 1 if something is amiss.

    Imports the packages, writes into the folders, compiles a kernel and starts Ray.
    """
    from pdf_search.cli.checkup import checkup

    checks = []
    for check in checkup(out_folder, source.data_root, source.cache):
        checks.append(check)
        if not as_json:
            print_result(f"{check.name:<15}  {'ok' if check.ok else 'AMISS':<5} {check.found}")
    if as_json:
        print_json({check.name: check for check in checks})
    if not all(check.ok for check in checks):
        raise typer.Exit(PdfSearchError.exit_code)
