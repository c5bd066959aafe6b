"""The verb ``study`` runs the fixed configurations of a table."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import AsJson, DataOptions, OutputOptions, Sets
from pdf_search.cli.output import facts, print_json, print_result, say
from pdf_search.cli.sweep_options import MachineOptions, StudyOptions
from pdf_search.errors import ConfigError

if TYPE_CHECKING:
    from pdf_search.space import Study, StudyRow
    from pdf_search.sweep import StudyPlan

StudyName = Annotated[
    str | None, Argument(help="A study by name, or ./my-study.yaml; without it, all are listed.")
]
DryRun = Annotated[bool, Option("--dry-run", help="Say what it would run, and check it.")]


@option_groups
def study(
    wanted: StudyOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    study: StudyName = None,
    sets: Sets = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Train a table's fixed configurations on seeds or folds; again, go on where it stopped.

    The table is written anew whenever a run ends.
    """
    if study is None:
        _list_studies(as_json)
        return
    if as_json and not dry_run:
        raise ConfigError("--json goes with --dry-run; of what ran, `pdf-search show NAME --json`")
    plan = _plan(study, sets, wanted, machine, source, output)
    if as_json and dry_run:
        print_json(plan.as_dict())
    elif dry_run:
        print_result("\n".join(plan.lines()))
    else:
        from pdf_search.cli.execution import execute_plan

        execute_plan(plan)


def _list_studies(as_json: bool) -> None:
    from pdf_search.space import load_study, study_names

    titles = {name: load_study(name).head.title for name in study_names()}
    print_json(titles) if as_json else print_result(facts(titles))


def _plan(
    name: str,
    sets: list[str] | None,
    wanted: StudyOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
) -> StudyPlan:
    from pdf_search.space import load_study
    from pdf_search.sweep import SweepOptions

    more = given(machine, source) | _device(wanted.device, machine)
    options = SweepOptions(name=wanted.name, out=output.out, db=output.url, **more)
    rows = (name, sets or (), wanted.only or (), wanted.epochs, wanted.seeds)
    newest = found = load_study(*rows)
    from pdf_search.sweep import SweepFolder, begun_versions, plan_study

    began = begun_versions(SweepFolder.of(output.out, wanted.name or found.name, output.url))
    if began and (found := load_study(*rows, began)) != newest:
        versions = " and ".join(f"data.{key} {version}" for key, version in began.items())
        say(f"note: the study goes on with {versions}, as it began")
    _check_published(found)
    return plan_study(found, options, progress=say)


def _check_published(study: Study) -> None:
    """Check that the published numbers exist that rows are to be compared with.

    Raises:
        ConfigError: some do not. The message names all of them.
    """
    wrong = filter(None, map(_not_published, study.rows))
    if text := "\n".join(f"{study.source}: {line}" for line in wrong):
        raise ConfigError(text)


def _not_published(row: StudyRow) -> str:
    """The message that a row's published number does not exist, with close ones; "" if it does."""
    from pdf_search.data import lookup
    from reports import published

    wanted, data = row.published, row.config.data
    if wanted is None or wanted.table == "timing":  # a timing table quotes all of the paper's
        return ""
    metric = data.metric or lookup(data).metric
    known = [number.method for number in published(row.dataset, metric, wanted.table)]
    if wanted.method in known:
        return ""
    near = get_close_matches(wanted.method, known, 3, 0.3) or known[:5]
    there = f"there is {', '.join(near)}" if near else "there is none for this data set"
    return (
        f"row {row.name!r}: no published {wanted.table} number of {wanted.method!r} on "
        f"{row.dataset} ({metric}); {there}"
    )


def _device(device: str | None, machine: MachineOptions) -> dict[str, Any]:
    """The SweepOptions that ``--device`` stands for; {} for a GPU if there is one.

    Raises:
        ConfigError: there is no such device, or GPUs are asked for runs on the CPU.
    """
    if device not in (None, "auto", "cpu", "cuda"):
        raise ConfigError(f"--device {device}: give auto, cpu or cuda")
    gpus = machine.gpus_per_trial
    if device == "cpu" and gpus:
        raise ConfigError(f"--device cpu with --gpus-per-trial {gpus:g}: give one of the two")
    if device == "cpu":
        return {"gpus_per_trial": 0.0}
    return {"gpus_per_trial": gpus or 1.0} if device == "cuda" else {}
