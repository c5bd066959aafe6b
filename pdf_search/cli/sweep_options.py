"""The options of verbs that run sweeps or studies; those of a sweep are checked as they are read.

Apart from ``options``, as training a single run needs nothing of sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from typer import Option

from pdf_search.cli.durations import parse_duration
from pdf_search.cli.option_groups import given
from pdf_search.records import MOST_COUNT

_SEARCH, _CONFIRM, _MACHINE = "Search", "Confirm", "Machine"
_STUDY = "Study"


def _check(group: Any) -> None:
    """Check the options of a sweep that were given, before a verb loads what takes seconds.

    Raises:
        ConfigError: a value is wrong.
    """
    from pdf_search.sweep import SweepOptions

    SweepOptions(**given(group))


@dataclass(frozen=True)
class SearchOptions:
    """The options of the search: how many trials, for how long, by which method."""

    name: Annotated[
        str | None, Option(help="Name of the sweep. Default: the space's.", rich_help_panel=_SEARCH)
    ] = None
    trials: Annotated[
        int | None,
        Option(min=1, max=MOST_COUNT, help="How many trials.", rich_help_panel=_SEARCH),
    ] = None
    epochs: Annotated[
        int | None,
        Option(min=1, help="Cut every trial here; schedules stay.", rich_help_panel=_SEARCH),
    ] = None
    method: Annotated[
        str | None,
        Option(
            help="random, grid, tpe, each also with +asha; hyperband; pbt.", rich_help_panel=_SEARCH
        ),
    ] = None
    metric: Annotated[
        str | None, Option(help="Validation metric to optimise.", rich_help_panel=_SEARCH)
    ] = None
    replicates: Annotated[
        int | None,
        Option(min=1, max=1000, help="Seeds of every trial.", rich_help_panel=_SEARCH),
    ] = None
    seed: Annotated[
        int,
        Option(
            min=0, max=2**31 - 1, help="Of the sampler and the trials.", rich_help_panel=_SEARCH
        ),
    ] = 0
    repeat: Annotated[
        bool, Option("--repeat", help="Train equal configurations again.", rich_help_panel=_SEARCH)
    ] = False
    from_sweeps: Annotated[
        list[str] | None,
        Option(
            "--from",
            metavar="NAME",
            help="Learn from an earlier sweep too; may be given many times.",
            rich_help_panel=_SEARCH,
        ),
    ] = None
    no_portfolio: Annotated[
        bool,
        Option(
            "--no-portfolio",
            help="Do not begin with what did well on other data sets.",
            rich_help_panel=_SEARCH,
        ),
    ] = False

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True)
class ConfirmOptions:
    """The options of the confirm phase, in which the best trials are trained again."""

    top_k: Annotated[
        int | None,
        Option(min=0, help="How many winners; 0 for none.", rich_help_panel=_CONFIRM),
    ] = None
    seeds: Annotated[
        int | None,
        Option(
            min=1, max=1000, help="Fresh seeds (or all folds so often).", rich_help_panel=_CONFIRM
        ),
    ] = None
    confirm_epochs: Annotated[
        int | None, Option(min=1, help="Default: as in the search.", rich_help_panel=_CONFIRM)
    ] = None


@dataclass(frozen=True)
class MachineOptions:
    """The options for the machine or cluster that trials run on."""

    cpus_per_trial: Annotated[
        int | None, Option(min=1, help="Default: 1.", rich_help_panel=_MACHINE)
    ] = None
    gpus_per_trial: Annotated[
        float | None,
        Option(help="1 at most; a fraction lets trials share a GPU.", rich_help_panel=_MACHINE),
    ] = None
    concurrent: Annotated[
        int | None, Option(min=1, help="Trials at once.", rich_help_panel=_MACHINE)
    ] = None
    address: Annotated[
        str | None, Option(help="Ray cluster: host:port or auto.", rich_help_panel=_MACHINE)
    ] = None
    storage: Annotated[
        str | None, Option(help="Folder or URI for checkpoints.", rich_help_panel=_MACHINE)
    ] = None
    time: Annotated[
        float | None,
        Option(
            parser=parse_duration,
            metavar="DURATION",
            help="Stop after 90s, 30m or 2h, to be resumed.",
            rich_help_panel=_MACHINE,
        ),
    ] = None
    epoch_timeout: Annotated[
        float | None,
        Option(
            parser=parse_duration,
            metavar="DURATION",
            help="A trial without an epoch for so long hangs: try it again. Default: 2h.",
            rich_help_panel=_MACHINE,
        ),
    ] = None
    tensorboard: Annotated[
        bool,
        Option(
            "--tensorboard",
            help="Write curves for TensorBoard too, into tensorboard/.",
            rich_help_panel=_MACHINE,
        ),
    ] = False

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True)
class StudyOptions:
    """The options of a study: which of its rows are run, for how long, on which device."""

    name: Annotated[
        str | None, Option(help="Name of its folder. Default: the study's.", rich_help_panel=_STUDY)
    ] = None
    only: Annotated[
        list[str] | None,
        Option(
            metavar="ROW[,ROW]",
            help="Rows or data sets by name; may be given many times.",
            rich_help_panel=_STUDY,
        ),
    ] = None
    epochs: Annotated[
        int | None,
        Option(min=1, help="Cut every run here.", rich_help_panel=_STUDY),
    ] = None
    seeds: Annotated[
        int | None,
        Option(
            min=1, max=1000, help="How many seeds (or all folds so often).", rich_help_panel=_STUDY
        ),
    ] = None
    device: Annotated[
        str | None,
        Option(help="cpu or cuda. Default: a GPU if there is one.", rich_help_panel=_MACHINE),
    ] = None
