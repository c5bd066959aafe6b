"""The options that several verbs have in common, in groups, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.durations import parse_duration
from pdf_search.cli.output import say
from pdf_search.records import MOST_COUNT

if TYPE_CHECKING:
    from pdf_search.config import DataConfig
    from pdf_search.data import Asked, Prepared

_SEARCH, _CONFIRM, _MACHINE, _FILES = "Search", "Confirm", "Machine", "Files"
_STUDY = "Study"
_OWN = "Own data"

SpaceName = Annotated[
    str,
    Argument(
        help="A space or data set by name (see `pdf-search spaces`), ./my.yaml, or ./data.csv."
    ),
]
SweepName = Annotated[str, Argument(metavar="NAME", help="Name of the sweep.")]
Sets = Annotated[
    list[str] | None,
    Option("--set", metavar="PATH=VALUE", help="Change the space; may be given many times."),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON, for programs.")]
Count = Annotated[int | None, Option(min=1)]


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


@dataclass(frozen=True)
class DataOptions:
    """The options for data: where raw files and prepared data lie."""

    data_root: Annotated[
        Path | None, Option(help="Folder with raw files; only read.", rich_help_panel=_FILES)
    ] = None
    cache: Annotated[
        Path | None, Option(help="Folder for prepared data.", rich_help_panel=_FILES)
    ] = None
    assume_yes: Annotated[
        bool, Option("--yes", "-y", help="Allow large downloads.", rich_help_panel=_FILES)
    ] = False

    def prepare(self, config: DataConfig) -> Path:
        """Prepare a data set if the cache does not have it, and return its folder."""
        from pdf_search.data import prepare

        return prepare(config, self.data_root, self.cache, self.assume_yes, say)

    def load(self, config: DataConfig) -> Prepared:
        """Load a data set, after preparing it if the cache does not have it."""
        from pdf_search.data import load_prepared

        return load_prepared(self.prepare(config))


@dataclass(frozen=True)
class OwnOptions:
    """The options for a data file of one's own in place of a space: its columns, task, split."""

    smiles: Annotated[
        str | None,
        Option(metavar="COLUMN", help="Of the SMILES. Default: smiles.", rich_help_panel=_OWN),
    ] = None
    targets: Annotated[
        list[str] | None,
        Option("--target", metavar="COLUMN[,COLUMN]", help="To predict.", rich_help_panel=_OWN),
    ] = None
    task: Annotated[
        str | None, Option(help="regression or classification.", rich_help_panel=_OWN)
    ] = None
    split: Annotated[
        str | None,
        Option(metavar="HOW", help="random, scaffold, or a column.", rich_help_panel=_OWN),
    ] = None
    skip_bad_rows: Annotated[
        bool,
        Option("--skip-bad-rows", help="Leave out rows that cannot be read.", rich_help_panel=_OWN),
    ] = False

    @property
    def asked(self) -> Asked:
        """What is said about the file.

        Raises:
            ConfigError: there is no such task.
        """
        from pdf_search.data import Asked

        targets = tuple(self.targets or ())
        return Asked(self.smiles, targets, self.task, self.split, self.skip_bad_rows)


@dataclass(frozen=True)
class OutputOptions:
    """The options for results: the folder of all sweeps, and a database elsewhere."""

    out: Annotated[Path, Option(help="Folder of all sweeps.", rich_help_panel=_FILES)] = Path(
        "runs"
    )
    db: Annotated[
        str | None,
        Option(help="Results database: file or postgresql://...", rich_help_panel=_FILES),
    ] = None

    @property
    def url(self) -> str | None:
        """The database as an absolute file or a URL; None if each sweep has its own file."""
        if self.db is None:
            return None
        from pdf_search.paths import expanded
        from pdf_search.results import parse_url, sqlite_file

        url = parse_url(self.db)
        file = sqlite_file(url)
        if file is not None:
            return str(expanded(file).resolve())
        plain = url.set(drivername=url.get_backend_name())  # as commands that are printed have it
        return plain.render_as_string(hide_password=False)
