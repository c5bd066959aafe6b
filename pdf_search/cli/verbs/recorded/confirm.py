"""The verb ``confirm`` trains the best trials of a sweep again."""

from __future__ import annotations

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import DataOptions, OutputOptions, SweepName
from pdf_search.cli.output import say
from pdf_search.cli.sweep_options import ConfirmOptions, MachineOptions


@option_groups
def confirm(
    name: SweepName,
    confirming: ConfirmOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
) -> None:
    """Train the best trials of a sweep on fresh seeds or all folds, and evaluate them on test."""
    from pdf_search.sweep import confirm_opening

    changes = given(confirming, machine, source)
    folder = recorded_folder(name, output)
    say(confirm_opening(folder, changes))
    from pdf_search.cli.execution import execute
    from pdf_search.sweep import confirm as confirm_sweep

    execute(
        folder,
        lambda: confirm_sweep(name, output.out, output.url, progress=say, **changes),
    )
