"""The verb ``rerun`` trains one recorded configuration again."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import DataOptions, MachineOptions, OutputOptions, SweepName
from pdf_search.cli.output import say
from pdf_search.records import Phase


@option_groups
def rerun(
    name: SweepName,
    number: Annotated[int, Argument(min=0, help="Number of the trial.")],
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    phase: Annotated[Phase, Option(help="Which of the sweep's phases.")] = Phase.SEARCH,
) -> None:
    """Train the configuration of a recorded trial once more, as a new trial.

    A CPU gives the same numbers again (same versions and threads), a GPU nearly the same at first.
    """
    from pdf_search.cli.execution import execute
    from pdf_search.sweep import rerun as rerun_trial

    changes = given(machine, source)
    execute(
        recorded_folder(name, output),
        lambda: rerun_trial(name, number, phase, output.out, output.url, progress=say, **changes),
    )
