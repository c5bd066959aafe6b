"""The verb ``watch`` shows a running sweep from another terminal."""

from __future__ import annotations

import typer

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import OutputOptions, SweepName
from pdf_search.cli.output import say
from pdf_search.signals import exit_code


@option_groups
def watch(name: SweepName, output: OutputOptions) -> None:
    """Show a running sweep or study, from another terminal, until it ends.

    It only reads the database: to end it does nothing to the sweep.
    """
    from rich.console import Console

    from pdf_search.sweep import watch_sweep

    folder = recorded_folder(name, output)
    try:
        watch_sweep(folder, Console(stderr=True))
    except KeyboardInterrupt as error:
        say(f"{name} goes on; only this view has ended")
        raise typer.Exit(exit_code(error)) from None
    say(f"no process runs {name} now: `pdf-search show {name}` shows it")
