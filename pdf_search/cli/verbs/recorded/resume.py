"""The verb ``resume`` continues a sweep or study."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import DataOptions, OutputOptions, SweepName
from pdf_search.cli.output import say
from pdf_search.cli.sweep_options import MachineOptions


@option_groups
def resume(
    name: SweepName,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    trials: Annotated[int | None, Option(min=1, help="New total, to extend it.")] = None,
) -> None:
    """Go on with a sweep or study that was killed, interrupted or timed out."""
    from pdf_search.sweep import resume_opening

    changes = {"trials": trials} | given(machine, source)
    folder = recorded_folder(name, output)
    say(resume_opening(folder, trials))
    from pdf_search.cli.execution import continue_recorded

    continue_recorded(folder, name, output, changes)
