"""The verb ``sweep`` searches a space."""

from __future__ import annotations

from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import (
    ConfirmOptions,
    DataOptions,
    MachineOptions,
    OutputOptions,
    OwnOptions,
    SearchOptions,
    Sets,
    SpaceName,
)


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
    from pdf_search.cli.execution import execute_plan, plan_space

    options = given(search, confirming, machine, source)
    execute_plan(plan_space(space, sets, options, output, own))
