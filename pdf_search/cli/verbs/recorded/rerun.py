"""The verb ``rerun`` trains one recorded trial again, to check its numbers."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import DataOptions, OutputOptions, SweepName
from pdf_search.cli.output import say
from pdf_search.cli.sweep_options import MachineOptions
from pdf_search.cli.trained import TrialOptions
from pdf_search.errors import ConfigError


@option_groups
def rerun(
    name: SweepName,
    which: TrialOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
    number: Annotated[int | None, Argument(min=0, help="Number of the trial, as --trial.")] = None,
) -> None:
    """Train a recorded trial once more, to check its numbers.

    The rerun is shown beside it, and is no configuration of its own: no rank, count or mean has it.
    A CPU gives the same numbers again (same versions and threads), a GPU nearly the same at first.
    """
    from pdf_search.sweep import rerun_opening

    trial, changes = _number(name, number, which.trial), given(machine, source) | {"progress": say}
    folder = recorded_folder(name, output)
    say(rerun_opening(folder, trial, which.phase))
    from pdf_search.cli.execution import execute
    from pdf_search.sweep import rerun as rerun_trial

    execute(
        folder,
        lambda: rerun_trial(name, trial, which.phase, output.out, output.url, **changes),
    )


def _number(name: str, *said: int | None) -> int:
    """The number of the trial, which is said in one of two ways.

    Raises:
        ConfigError: it is not said, or twice.
    """
    found = [number for number in said if number is not None]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f"trial {found[0]} and --trial {found[1]}: give the number once")
    raise ConfigError(
        f"rerun {name}: name a trial with --trial N (`pdf-search show {name}` lists them)"
    )
