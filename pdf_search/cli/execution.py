"""Carries out a sweep or study for a verb: runs it, and writes its report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import typer

from pdf_search.cli.ending import exit_after, full_disk, interrupted, say_and_log, tell_cut_off
from pdf_search.cli.folders import write_tables
from pdf_search.cli.options import OutputOptions
from pdf_search.cli.output import print_table, say
from pdf_search.cli.study_report import StudyReport
from pdf_search.errors import (
    ConfigError,
    DataError,
    ResourceError,
    StoreError,
)
from pdf_search.full_disk import is_full
from pdf_search.results import masked
from pdf_search.runs import holds_sweep
from pdf_search.signals import exit_code, last_words
from pdf_search.sweep import (
    Functions,
    Plan,
    StudyPlan,
    SweepFolder,
    SweepResult,
    resume,
    run_sweep,
)


def execute_plan(plan: Plan | StudyPlan) -> None:
    """Print a plan and execute it; a study's tables are rewritten as its runs end."""
    say("\n".join(plan.lines()))
    listed = isinstance(plan, StudyPlan)
    functions = Functions(on_finished=StudyReport(plan.folder)) if listed else None
    command = command_line()
    execute(plan.folder, lambda: run_sweep(plan, command=command, functions=functions))


def continue_recorded(
    folder: SweepFolder, name: str, output: OutputOptions, changes: dict[str, Any]
) -> None:
    """Continue the sweep or study ``name`` in a folder; ``changes`` replace recorded options."""
    functions = Functions(on_finished=StudyReport(folder))
    changes = changes | {"progress": say, "functions": functions}
    execute(folder, lambda: resume(name, output.out, output.url, **changes))


def execute(folder: SweepFolder, run: Callable[[], SweepResult]) -> None:
    """Run a sweep, write its report, also after an unexpected error, and exit with its code.

    Raises:
        typer.Exit: 130 after Ctrl-C, 1 if there is no result; see ``exit_after``.
    """
    with last_words(partial(tell_cut_off, folder)):
        try:
            result = _reported(folder, run)
        except KeyboardInterrupt as error:
            say_and_log(interrupted(folder), folder)
            raise typer.Exit(exit_code(error)) from None
        exit_after(result)


def _reported(folder: SweepFolder, run: Callable[[], SweepResult]) -> SweepResult:
    """Run a sweep and write its report."""
    try:
        result = run()
    except (ConfigError, DataError, ResourceError, StoreError) as error:
        if is_full(error):
            raise full_disk(error, folder) from error
        raise  # nothing was run yet, or there is no database to report from
    except Exception as error:
        if is_full(error):
            raise full_disk(error, folder) from error
        if folder.db is not None or holds_sweep(folder.path):
            write_report(folder)
        raise
    write_report(folder)
    for message in result.messages:
        say(message)
    return result


def write_report(folder: SweepFolder) -> None:
    """Write the report and print its table; a failure is only a warning, as results are safe."""
    try:
        with folder.open_store() as store:
            write_tables(store, folder, folder.report)
        print_table((folder.report / "table.md").read_text(encoding="utf-8"))
        say(f"report: {folder.report}")
    except Exception as error:
        say(
            f"warning: the report could not be written ({type(error).__name__}: {error}). "
            f"The results are safe; try again with: pdf-search report {folder.called}"
        )


def command_line() -> str:
    """The command line of this process, quoted, to be recorded; passwords are masked."""
    return shlex.join(["pdf-search", *map(masked, sys.argv[1:])])
