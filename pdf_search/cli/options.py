"""The options that several verbs have in common, in groups, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.output import say
from pdf_search.runs import check_out

if TYPE_CHECKING:
    from pdf_search.config import DataConfig
    from pdf_search.data import Asked, Prepared

_FILES = "Files"
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

    def __post_init__(self) -> None:
        check_out(self.out)
        if self.db is not None:
            from pdf_search.results import parse_url

            parse_url(self.db)

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
