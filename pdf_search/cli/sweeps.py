"""Verbs that train many: plan, sweep, confirm, resume, rerun, and the quickstart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.groups import (
    AsJson,
    Confirming,
    Machine,
    Place,
    Search,
    Sets,
    Source,
    SpaceName,
    SweepName,
    given,
    grouped,
)
from pdf_search.cli.words import out, out_json, say
from pdf_search.records import Phase

if TYPE_CHECKING:
    from pdf_search.sweep import Plan

QUICKSTART = "quickstart"
QUICK_CONCURRENT = 4  # with more at once, early stopping has nothing to compare with


@grouped
def plan(
    space: SpaceName,
    search: Search,
    confirming: Confirming,
    machine: Machine,
    source: Source,
    place: Place,
    sets: Sets = None,
    as_json: AsJson = False,
) -> None:
    """Say what a sweep would do, and find what is wrong with it, without starting it."""
    settled = _plan(space, sets, _options(search, confirming, machine, source), place)
    if as_json:
        out_json(_facts(settled))
    else:
        out("\n".join(settled.lines()))


@grouped
def sweep(
    space: SpaceName,
    search: Search,
    confirming: Confirming,
    machine: Machine,
    source: Source,
    place: Place,
    sets: Sets = None,
) -> None:
    """Search a space, train the winners again on fresh seeds, and write the result table."""
    _run(_plan(space, sets, _options(search, confirming, machine, source), place))


@grouped
def quickstart(
    search: Search, confirming: Confirming, machine: Machine, source: Source, place: Place
) -> None:
    """The whole way on a small data set that comes along: solvation energies of 642 molecules."""
    from pdf_search.sweep import usable_cpus

    options = _options(search, confirming, machine, source)
    name = options.setdefault("name", QUICKSTART)
    if _exists(name, place):
        say(f"sweep {name} exists: going on with it (another --name starts anew)")
        _continue(name, place, source, {"trials": search.trials} | given(machine))
        return
    if not given(machine):
        concurrent = min(usable_cpus(), QUICK_CONCURRENT)
        options |= {"gpus_per_trial": 0.0, "concurrent": concurrent}
    _run(_plan("freesolv", None, options, place))


@grouped
def resume(
    name: SweepName,
    machine: Machine,
    source: Source,
    place: Place,
    trials: Annotated[int | None, typer.Option(min=1, help="New total, to extend it.")] = None,
) -> None:
    """Go on with a sweep or study that was killed, interrupted or timed out."""
    _continue(name, place, source, {"trials": trials} | given(machine))


@grouped
def confirm(
    name: SweepName, confirming: Confirming, machine: Machine, source: Source, place: Place
) -> None:
    """Train the best trials of a sweep on fresh seeds or all folds, and evaluate them on test."""
    from pdf_search.cli.carry_out import carry_out
    from pdf_search.sweep import confirm as confirm_sweep

    changes = given(confirming) | given(machine) | source_options(source)
    carry_out(
        recorded_folder(name, place),
        lambda: confirm_sweep(name, place.out, place.url, progress=say, **changes),
    )


@grouped
def rerun(
    name: SweepName,
    number: Annotated[int, typer.Argument(min=0, help="Number of the trial.")],
    machine: Machine,
    source: Source,
    place: Place,
    phase: Annotated[Phase, typer.Option(help="Which of the sweep's phases.")] = Phase.SEARCH,
) -> None:
    """Train the configuration of a recorded trial once more, as a new trial."""
    from pdf_search.cli.carry_out import carry_out
    from pdf_search.sweep import rerun as rerun_trial

    changes = given(machine) | source_options(source)
    carry_out(
        recorded_folder(name, place),
        lambda: rerun_trial(name, number, phase, place.out, place.url, progress=say, **changes),
    )


def _options(*groups: Any) -> dict[str, Any]:
    """The options of several groups under the names of SweepOptions."""
    options: dict[str, Any] = {}
    for group in groups:
        options |= source_options(group) if isinstance(group, Source) else given(group)
    return options


def source_options(source: Source) -> dict[str, Any]:
    """Where data come from, under the names of SweepOptions."""
    options = given(source)
    if options.pop("yes", False):
        options["assume_yes"] = True
    return options


def _plan(space: str, sets: list[str] | None, options: dict[str, Any], place: Place) -> Plan:
    from pdf_search.space import load_space
    from pdf_search.sweep import SweepOptions, plan_sweep

    settled = SweepOptions(out=place.out, db=place.url, **options)
    return plan_sweep(load_space(space, sets or ()), settled, progress=say)


def _facts(plan: Plan) -> dict[str, Any]:
    """The plan for programs: its numbers, and the whole configuration of the first trial."""
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
        "first": plan.first.model_dump(mode="json"),
        "notes": (*plan.space.notes, *plan.notes),
        "data_notes": plan.data.notes,
    }


def _run(plan: Plan) -> None:
    from pdf_search.cli.carry_out import carry_out, command_line
    from pdf_search.sweep import run_sweep

    say("\n".join(plan.lines()))
    carry_out(plan.folder, lambda: run_sweep(plan, command=command_line()))


def _continue(name: str, place: Place, source: Source, changes: dict[str, Any]) -> None:
    from pdf_search.cli.carry_out import carry_out
    from pdf_search.cli.study import StudyReport
    from pdf_search.sweep import Functions
    from pdf_search.sweep import resume as resume_sweep

    folder = recorded_folder(name, place)
    functions = Functions(on_finished=StudyReport(folder))
    changes = changes | source_options(source) | {"progress": say, "functions": functions}
    carry_out(folder, lambda: resume_sweep(name, place.out, place.url, **changes))


def _exists(name: str, place: Place) -> bool:
    from pdf_search.errors import StoreError
    from pdf_search.sweep import SweepFolder

    folder = SweepFolder.find(place.out, name, place.url)
    if folder.path != SweepFolder.of(place.out, name, None).path:
        return False  # a folder of that name elsewhere
    try:
        with folder.open_store() as store:
            return any(sweep.name == folder.name for sweep in store.sweeps())
    except StoreError:
        return False
