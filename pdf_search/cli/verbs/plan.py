"""The verb ``plan`` says what a sweep would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import (
    AsJson,
    ConfirmOptions,
    DataOptions,
    MachineOptions,
    OutputOptions,
    SearchOptions,
    Sets,
    SpaceName,
)
from pdf_search.cli.output import print_json, print_result

if TYPE_CHECKING:
    from pdf_search.sweep import Plan


@option_groups
def plan(
    space: SpaceName,
    search: SearchOptions,
    confirming: ConfirmOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    sets: Sets = None,
    as_json: AsJson = False,
) -> None:
    """Say what a sweep would do, and find what is wrong with it, without starting it."""
    from pdf_search.cli.execution import plan_space

    settled = plan_space(space, sets, given(search, confirming, machine, source), output)
    if as_json:
        print_json(_facts(settled))
    else:
        print_result("\n".join(settled.lines()))


def _facts(plan: Plan) -> dict[str, Any]:
    """The plan for ``--json``: its numbers, and the whole configuration of the first trial."""
    return {
        "name": plan.name,
        "folder": plan.folder.path,
        "space": plan.space.name,
        "data": plan.info.name,
        "graphs": len(plan.data.graphs),
        "fingerprint": plan.data.fingerprint,
        "protocol": plan.first.protocol,
        "metric": plan.metric.name,
        "mode": plan.metric.mode,
        "method": plan.method.name,
        "trials": plan.trials,
        "configurations": plan.configurations,
        "epochs": plan.epochs,
        "rungs": plan.rungs,
        "confirm": {
            "top_k": plan.top_k,
            "seeds": plan.seeds,
            "epochs": plan.confirm_epochs,
        },
        "resources": plan.resources,
        "first_is_published": plan.starts_with_published,
        "portfolio": plan.portfolio,
        "first": plan.first.model_dump(mode="json"),
        "notes": (*plan.space.notes, *plan.notes),
        "data_notes": plan.data.notes,
    }
