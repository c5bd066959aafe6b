"""The verb ``sweep`` searches a space."""

from __future__ import annotations

from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import DataOptions, OutputOptions, OwnOptions, Sets, SpaceName
from pdf_search.cli.sweep_options import ConfirmOptions, MachineOptions, SearchOptions


@option_groups
def sweep(
    space: SpaceName,
    own: OwnOptions,
    search: SearchOptions,
    confirming: ConfirmOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    sets: Sets = None,
) -> None:
    """Search a space, train the winners again on fresh seeds, and write the result table."""
    from pdf_search.cli.planning import plan_space

    plan = plan_space(space, sets, given(search, confirming, machine, source), output, own)
    from pdf_search.cli.execution import execute_plan

    execute_plan(plan)
