"""The verb ``plan`` says what a sweep would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import AsJson, DataOptions, OutputOptions, OwnOptions, Sets, SpaceName
from pdf_search.cli.output import print_json, print_result
from pdf_search.cli.sweep_options import ConfirmOptions, MachineOptions, SearchOptions

if TYPE_CHECKING:
    from pdf_search.config import BasisConfig
    from pdf_search.data import CompactBases
    from pdf_search.sweep import Plan


@dataclass(frozen=True)
class PlanOptions:
    """What is changed in the space, how thorough the plan is, and how it is printed."""

    sets: Sets = None
    quick: Annotated[bool, Option("--quick", help="Do not look which bases compact keeps.")] = False
    as_json: AsJson = False


@option_groups
def plan(
    space: SpaceName,
    own: OwnOptions,
    search: SearchOptions,
    confirming: ConfirmOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    how: PlanOptions,
) -> None:
    """Say what a sweep would do, and find what is wrong with it, without starting it."""
    from pdf_search.cli.planning import plan_space

    options = given(search, confirming, machine, source)
    settled = plan_space(space, how.sets, {**options, "quick": how.quick}, output, own)
    if how.as_json:
        print_json(_facts(settled))
    else:
        print_result("\n".join([*settled.lines(), *_written(space, own)]))


def _written(space: str, own: OwnOptions) -> list[str]:
    """The space that was written for a data file of one's own, as text; [] for another space."""
    from pdf_search.data import is_own
    from pdf_search.space import space_text

    if not is_own(space):
        return []
    return ["", space_text(space, own.asked)]


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
        "compact": [] if plan.bases is None else [_compact(plan.bases, b) for b in plan.bases.wide],
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
        "earlier": plan.earlier.words,
        "first": plan.first.model_dump(mode="json"),
        "notes": (*plan.space.notes, *plan.notes),
        "data_notes": plan.data.notes,
    }


def _compact(bases: CompactBases, wide: BasisConfig) -> dict[str, Any]:
    """What compact keeps of the widest grid, with one support and standardisation."""
    support = wide.model_dump(mode="json")["support"]
    kept = bases.kept(wide).grid
    return {
        "support": support,
        "standardise": wide.standardise,
        "of": len(wide.grid),
        "keeps": kept,
    }
