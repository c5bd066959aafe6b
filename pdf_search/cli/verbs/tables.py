"""The verbs of ``tables`` write tables of the paper, with rows of studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import DataOptions, OutputOptions
from pdf_search.cli.output import print_table, say
from pdf_search.errors import ConfigError
from pdf_search.paths import expanded

if TYPE_CHECKING:
    from reports import Grid, Study

OUT = Annotated[Path, Option("--out", help="Folder of results; the files go to its tables/.")]

tables = typer.Typer(no_args_is_help=True, help="Tables of the paper, with rows of studies.")


@tables.command("statistics")
@option_groups
def statistics_verb(
    source: DataOptions,
    names: Annotated[
        list[str] | None,
        Argument(help="Data sets. Default: the paper's, of OGB's those that are prepared."),
    ] = None,
    out_folder: OUT = Path("runs"),
) -> None:
    """Counts of data sets as loaded, beside those that the paper prints."""
    from pdf_search.config import DataConfig, newest
    from pdf_search.data import mean_counts, statistics
    from reports import statistics_grid

    found = []
    for name in names or _papers_sets(source.cache):
        config = DataConfig.model_validate(newest({"name": name}))
        prepared = source.load(config)
        found.append(statistics(prepared) | mean_counts(prepared))
    _write("statistics", statistics_grid(found), out_folder)


def _papers_sets(cache: Path | None) -> list[str]:
    """The paper's data sets; the two large ones of OGB only if they are prepared already."""
    from pdf_search.data import TU_SETS, cache_entries

    prepared = {entry.name for entry in cache_entries(cache)}
    large = [name for name in ("ogbg-molpcba", "ogbg-ppa") if name in prepared]
    return ["zinc", *large, *TU_SETS]


@tables.command("complexity")
@option_groups
def complexity_verb(
    output: OutputOptions,
    study: Annotated[
        str | None, Argument(help="A study whose measured memory stands beside it.")
    ] = None,
) -> None:
    """The paper's time and space complexities, with measured memory of a study's runs."""
    from reports import complexity_grid, memories, memory_left_out

    found = None if study is None else _study(study, output)
    measured = [] if found is None else memories(found)
    _write("complexity", complexity_grid(measured=measured), output.out)
    if found is not None and (note := memory_left_out(found.name, measured)):
        say(f"note: {note}")


Studies = Annotated[list[str] | None, Argument(help="Studies whose rows stand below.")]


@tables.command("results")
@option_groups
def results_verb(output: OutputOptions, studies: Studies = None) -> None:
    """ZINC, ogbg-molpcba and ogbg-ppa in one table, as in the paper."""
    _papers("results", "Results on ZINC, ogbg-molpcba and ogbg-ppa", studies or (), output)


@tables.command("tu")
@option_groups
def tu_verb(output: OutputOptions, studies: Studies = None) -> None:
    """The eight TU data sets in one table, as in the paper."""
    _papers("folds", "Results on TUDataset", studies or (), output)


def _papers(table: str, title: str, studies: Sequence[str], output: OutputOptions) -> None:
    from reports import papers_grid, parts_left_out

    found = [_study(name, output) for name in studies]
    for study in found:
        if study.table != table:
            raise ConfigError(f"{study.name}: its table is {study.table}, not {table}")
    _write("results" if table == "results" else "tu", papers_grid(table, title, found), output.out)
    for note in filter(None, (parts_left_out(table, study) for study in found)):
        say(f"note: {note}")


def _study(name: str, output: OutputOptions) -> Study:
    from reports import load_study

    folder = recorded_folder(name, output)
    with folder.open_store() as store:
        return load_study(store, folder.name)


@tables.command("taxonomy")
@option_groups
def taxonomy_verb(out_folder: OUT = Path("runs")) -> None:
    """Graph networks by what f(G) can learn, derived from the settings of `train --setting`."""
    from reports import taxonomy_table

    _write("taxonomy", taxonomy_table(), out_folder)


def _write(name: str, grid: Grid, out_folder: Path) -> None:
    from reports import write_grids

    folder = expanded(out_folder).resolve() / "tables"
    write_grids(name, [grid], folder)
    print_table((folder / f"{name}.md").read_text(encoding="utf-8"))
    say(f"written: {folder}/{name}.md, .tex, .csv, .html")
