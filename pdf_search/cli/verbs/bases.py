"""The verb ``bases`` says which bases a data set's graphs can tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from pdf_search.cli.folders import part_names, recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions, OutputOptions, OwnOptions, Sets
from pdf_search.cli.output import facts, print_json, print_result, say, terminal_width
from pdf_search.cli.process import let_idle_threads_sleep
from pdf_search.errors import ConfigError

if TYPE_CHECKING:
    from pdf_search.config import BasisConfig, TrialConfig
    from pdf_search.data import Prepared
    from pdf_search.space import Parameter, Space

Target = Annotated[
    str, Argument(metavar="DATA", help="A data set, a space or its file, or a run by its folder.")
]


@dataclass(frozen=True)
class BasesOptions:
    """The grid of (eps, k) that is looked at, and the node pairs."""

    eps: Annotated[str, Option(metavar="0,-0.5", help="The eps.")] = "0,-0.1,-0.2,-0.3,-0.4,-0.5"
    k: Annotated[str, Option(metavar="1,2,3", help="The k.")] = "1,2,3,4,5,6"
    hops: Annotated[
        int | None, Option(min=1, help="Pairs within so many hops. Default: all pairs.")
    ] = None
    standardise: Annotated[
        bool, Option("--standardise", help="Each basis standardised in each graph.")
    ] = False

    @property
    def basis(self) -> BasisConfig:
        """The bases to look at.

        Raises:
            ConfigError: they are no numbers, or outside of what (eps, k) may be.
        """
        from pydantic import ValidationError

        from pdf_search.config import BasisConfig, describe

        tree: dict[str, Any] = {"standardise": self.standardise}
        tree |= {"eps": _numbers("--eps", self.eps), "k": _numbers("--k", self.k)}
        tree |= {} if self.hops is None else {"support": {"hops": self.hops}}
        try:
            return BasisConfig.model_validate(tree)
        except ValidationError as error:
            raise ConfigError(f"--eps, --k: {describe(error, BasisConfig)}") from None


@option_groups
def bases(
    target: Target,
    grid: BasesOptions,
    own: OwnOptions,
    source: DataOptions,
    output: OutputOptions,
    sets: Sets = None,
    as_json: AsJson = False,
) -> None:
    """Which (eps, k) a data set's training graphs can tell apart, before anything is trained."""
    let_idle_threads_sleep()
    from pdf_search.data import CompactBases
    from pdf_search.graphs import analyse_bases

    basis = grid.basis
    config, data = _found(target, sets, own, source, output)
    found = CompactBases(data, config, progress=say)
    about = {
        "training_graphs": len(found.graphs),
        "support": basis.model_dump(mode="json")["support"],
        "standardise": basis.standardise,
    }
    analysis = about | analyse_bases(found.moments(basis)).as_dict()
    if as_json:
        print_json({"data": data.info.name} | analysis)
    else:
        print_result(_text(data.info.title, analysis))


def _text(title: str, analysis: dict[str, Any]) -> str:
    from reports import bases_grids, bases_text, grid_plain, pairs_text

    head = {"data": title, "pairs": pairs_text(analysis), "bases": bases_text(analysis)}
    tables = [
        f"{table.title}\n{grid_plain(table, width=terminal_width())}"
        + "".join(f"{note}\n" for note in table.notes)
        for table in bases_grids(analysis, title)
    ]
    return "\n".join([facts(head), "", *tables])


def _found(
    target: str,
    sets: list[str] | None,
    own: OwnOptions,
    source: DataOptions,
    output: OutputOptions,
) -> tuple[TrialConfig, Prepared]:
    """A trial of the space, data set or run, for its split, and the data.

    Raises:
        ConfigError: nothing is called so.
    """
    from pdf_search.runs import find_folder, holds_sweep, is_run
    from pdf_search.space import load_space, space_names

    folder = find_folder(output.out, target)
    if target not in space_names() and (is_run(folder) or holds_sweep(folder)):
        if sets:
            raise ConfigError(f"--set: {folder} is a run, whose data are settled; leave it out")
        return _of_run(folder, source) if is_run(folder) else _of_sweep(target, source, output)
    config = _example(load_space(target, sets or (), asked=own.asked))
    return config, source.load(config.data)


def _of_run(folder: Path, source: DataOptions) -> tuple[TrialConfig, Prepared]:
    from pdf_search.data import recorded_data
    from pdf_search.inference import read_config
    from pdf_search.training import begun_with

    config, begun = read_config(folder), begun_with(folder)
    known = None if begun is None else recorded_data(*begun, source.cache)
    return config, known or source.load(config.data)


def _of_sweep(
    target: str, source: DataOptions, output: OutputOptions
) -> tuple[TrialConfig, Prepared]:
    from pdf_search.data import recorded_data
    from pdf_search.space import Space

    folder = recorded_folder(target, output)
    with folder.open_store() as store:
        if parts := part_names(store, folder):
            names = ", ".join(parts)
            raise ConfigError(f"{folder.called} is a study: name a data set of it ({names})")
        record = store.sweep(folder.name)
    config = _example(Space.from_dict(record.space_definition))
    place = record.options.get("prepared", "")
    return config, recorded_data(place, record.fingerprint, source.cache) or source.load(
        config.data
    )


def _example(space: Space) -> TrialConfig:
    listed = space.points_to_evaluate
    return space.config(listed[0] if listed else space.sample(_first))


def _first(parameter: Parameter) -> Any:
    from pdf_search.space import Choice

    domain = parameter.domain
    return domain.values[0] if isinstance(domain, Choice) else domain.low


def _numbers(option: str, text: str) -> list[float]:
    """Numbers with commas between them, as whole numbers where they are.

    Raises:
        ConfigError: they are not numbers.
    """
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"{option} {text!r}: write numbers with commas, like 1,2,3") from None
    return [int(value) if value.is_integer() else value for value in values]
