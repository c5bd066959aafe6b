"""The verb ``train`` trains one configuration, without a search and without Ray."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions, OwnOptions, Sets, SpaceName
from pdf_search.cli.output import print_json, print_result, say
from pdf_search.cli.process import let_idle_threads_sleep
from pdf_search.errors import ConfigError, DataError, FullDiskError, PdfSearchError
from pdf_search.paths import expanded
from pdf_search.runs import check_name, check_out
from pdf_search.signals import exit_code

if TYPE_CHECKING:
    from pdf_search.config import TrialConfig
    from pdf_search.data import Prepared
    from pdf_search.records import EpochReport, Metric
    from pdf_search.space import Parameter, Space


OTHER_FILES = 1_000_000  # bytes of configuration, curve and predictions of a small run


@dataclass(frozen=True)
class TrainOptions:
    """The options of a single training: its name and folder, its length, its seeds."""

    name: Annotated[str | None, Option(help="Name of the run. Default: train-SPACE.")] = None
    setting: Annotated[
        str | None, Option(metavar="NAME", help="Another network's f(G), such as taxonomy/gcn.")
    ] = None
    out: Annotated[Path, Option(help="Folder of all runs.")] = Path("runs")
    epochs: Annotated[int | None, Option(min=1, help="Cut here; schedules stay.")] = None
    seed: Annotated[int, Option(min=0, help="The first seed.")] = 0
    seeds: Annotated[int, Option(min=1, help="How many, trained together.")] = 1
    device: Annotated[str, Option(help="auto, cpu, cuda or cuda:N.")] = "auto"
    resume: Annotated[bool, Option("--resume", help="Continue the run of that --name.")] = False

    def __post_init__(self) -> None:
        check_out(self.out)
        if self.resume and self.name is None:
            raise ConfigError("--resume needs the --name of the run to continue")
        if self.name is not None and not self.resume:
            check_name(self.name)


@option_groups
def train(
    space: SpaceName,
    own: OwnOptions,
    options: TrainOptions,
    source: DataOptions,
    sets: Sets = None,
    as_json: AsJson = False,
) -> None:
    """Train one configuration: the published one, or the first of the space.

    --set picks another, --setting lays another network's f(G) over it. Validation and test are
    evaluated after every epoch.
    """
    let_idle_threads_sleep()
    from pdf_search.space import load_space, settings_named

    begun = _begun_folder(options) if options.resume else None
    known = None if begun is None else _begun_data(begun, source)
    info = None if known is None else known.info
    chosen = load_space(space, sets or (), options.setting, info, own.asked)
    config = _config(chosen, options)
    from pdf_search.config import VERSIONS
    from pdf_search.data import CompactBases, alike_notes, with_split_notes
    from pdf_search.full_disk import check_free
    from pdf_search.records import State
    from pdf_search.runs import locked
    from pdf_search.training import resolve_device, with_bases_of, with_versions_of

    network = f"-{options.setting.rpartition('/')[2]}" if options.setting else ""
    resolve_device(config.device)  # before anything is prepared or written
    folder = begun or _new_folder(options, f"train-{chosen.name}{network}")
    named = settings_named(sets or ()).get("data", {})
    if begun is not None and not any(key in named for key in VERSIONS):
        config = with_versions_of(begun, config)
    if begun is not None:
        config = with_bases_of(begun, config)
    data = with_split_notes(known or _data(config, source, begun), config)
    for note in (*data.notes, *alike_notes(data, [config])):
        say(f"note: {note}")
    config = CompactBases(data, config, progress=say).resolved(config)
    check_free(folder, _bytes(config, data), "the run's files", "--out")
    with _told_if_full(folder), locked(folder):
        result = _train(config, data, folder, options.resume)
    if as_json:
        print_json(result)
    else:
        print_result(_table(result))
    say(f"written to {folder}")
    if result["state"] != State.COMPLETE.value:
        say(f"error: the run is {result['state']}: {result['message']}")
        raise typer.Exit(PdfSearchError.exit_code)


def _new_folder(options: TrainOptions, wanted: str) -> Path:
    """The folder of a new run: ``--name``, or ``wanted`` with a number if that is taken.

    Raises:
        ConfigError: the folder exists.
    """
    from pdf_search.runs import free_name, is_run

    out = expanded(options.out)
    folder = out.resolve() / (options.name or free_name(out, wanted))
    if folder.exists():
        again = "continue it with --resume, or give" if is_run(folder) else "give"
        raise ConfigError(f"{folder} exists: {again} another --name")
    return folder


def _begun_folder(options: TrainOptions) -> Path:
    """The folder of the run that ``--resume`` continues.

    Raises:
        ConfigError: there is no such run.
    """
    from pdf_search.runs import find_folder, holds_sweep, is_run, resume_command

    assert options.name is not None
    folder = find_folder(expanded(options.out), options.name)
    if is_run(folder):
        return folder
    again = "" if folder.exists() else ": leave out --resume to begin one"
    if holds_sweep(folder):
        again = f"; a sweep goes on with: {resume_command(folder.name, folder.parent)}"
    raise ConfigError(f"--resume: no run of `pdf-search train` in {folder}{again}")


def _begun_data(folder: Path, source: DataOptions) -> Prepared | None:
    """The data prepared for the run that is continued; None if they are gone."""
    from pdf_search.data import recorded_data
    from pdf_search.training import begun_with

    begun = begun_with(folder)
    return recorded_data(*begun, source.cache) if begun else None


def _data(config: TrialConfig, source: DataOptions, begun: Path | None) -> Prepared:
    """Load the data set, after preparing it if the cache does not have it.

    Raises:
        DataError: it cannot be prepared, or it is not what the run ``begun`` began with.
    """
    from pdf_search.training import begun_with

    data = source.load(config.data)
    was = None if begun is None else begun_with(begun)
    if begun is not None and was is not None and data.fingerprint != was[1]:
        raise DataError(
            f"{begun}: the data of {data.info.title} is not what the run began with "
            f"({was[1][:12]}, now {data.fingerprint[:12]}), and what was prepared then is gone. "
            f"Restore {config.data.path or 'the raw files'}, or train under another name"
        )
    return data


def _config(space: Space, options: TrainOptions) -> TrialConfig:
    from pdf_search.config import parse_trial, with_stop_epoch
    from pdf_search.records import Phase

    point = dict(space.points_to_evaluate[0]) if space.points_to_evaluate else space.sample(_first)
    tree = space.trial(point)
    metric = space.defaults.metric
    tree["data"] = {**tree["data"], "metric": tree["data"].get("metric") or metric or None}
    tree |= {"phase": Phase.CONFIRM, "device": options.device}
    tree["seeds"] = tuple(range(options.seed, options.seed + options.seeds))
    tree = tree if options.epochs is None else with_stop_epoch(tree, options.epochs)
    return parse_trial(tree, f"space {space.name}")


def _first(parameter: Parameter) -> Any:
    """The first option of a choice, the middle of a range."""
    from pdf_search.space import Choice

    domain = parameter.domain
    if isinstance(domain, Choice):
        return domain.values[0]
    if domain.values is not None:
        return domain.values[len(domain.values) // 2]
    low, high = domain.low, domain.high
    return (low * high) ** 0.5 if domain.log else (low + high) / 2


def _train(config: TrialConfig, data: Prepared, path: Path, resume: bool) -> dict[str, Any]:
    """Train the run, with a line for each epoch, and give its result.

    Raises:
        typer.Exit: 130 after Ctrl-C. Everything up to the last whole epoch is kept.
    """
    from pdf_search.records import METRICS
    from pdf_search.stop_condition import StopCondition
    from pdf_search.training import RunFolder, baseline_predictor

    metric = METRICS[config.data.metric or data.info.metric]
    stop_condition, folder = StopCondition(), RunFolder(path)

    def see(report: EpochReport) -> bool:
        say(_progress(report, config, metric))
        return stop_condition.due()

    try:
        with stop_condition.on_signals():
            outcome = folder.train(config, data, see, resume)
    except KeyboardInterrupt:
        outcome = None
    if outcome is None:
        say(f"interrupted; continue with: {_again(path.name)}")
        raise typer.Exit(exit_code(stop_condition.signal or SIGINT))
    from pdf_search.cli.train_result import train_result

    return train_result(config, data, path, folder.curve, outcome, baseline_predictor(config, data))


def _bytes(config: TrialConfig, data: Prepared) -> int:
    """The bytes that the run's files need, about: one checkpoint replaces the other."""
    from pdf_search.training import checkpoint_bytes

    return OTHER_FILES + 2 * checkpoint_bytes(config, data)


@contextmanager
def _told_if_full(folder: Path) -> Iterator[None]:
    """Let a full disk within the block be told with its place, its room and how to go on."""
    from pdf_search.full_disk import full_words, is_full

    try:
        yield
    except Exception as error:
        if not is_full(error):
            raise
        where = full_words(folder, tempfile.gettempdir())
        raise FullDiskError(
            f"{where}. Make room, then continue with: {_again(folder.name)}"
        ) from error


def _progress(report: EpochReport, config: TrialConfig, metric: Metric) -> str:
    from statistics import fmean

    from reports import format_value, scaled

    loss = fmean(replicate.train_loss for replicate in report.replicates)
    parts = [f"epoch {report.epoch}/{config.epochs}", f"loss {loss:.4g}"]
    for part in ("valid", "test"):
        values = [getattr(r, part) for r in report.replicates if getattr(r, part) is not None]
        if not values and part in report.part_seconds:
            parts.append(f"{part} {metric.label} undefined")
        elif values:
            shown = format_value(scaled(fmean(values), metric), None)
            parts.append(f"{part} {metric.label} {shown}")
    return "  ".join([*parts, f"{report.seconds:.1f} s"])


def _table(result: dict[str, Any]) -> str:
    from pdf_search.cli.train_result import result_table

    return result_table(result)


def _again(name: str) -> str:
    words = [word for word in sys.argv[1:] if word != "--resume"]
    if not any(word == "--name" or word.startswith("--name=") for word in words):
        words += ["--name", name]
    return shlex.join(["pdf-search", *words, "--resume"])
