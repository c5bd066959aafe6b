"""Finds and loads a trained model: that of a single run, or of a trial of a sweep."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.folders import part_names, recorded_folder
from pdf_search.cli.options import DataOptions, OutputOptions
from pdf_search.cli.output import say
from pdf_search.errors import ConfigError, DataError
from pdf_search.paths import nearest
from pdf_search.records import Phase

if TYPE_CHECKING:
    from pdf_search.config import DataConfig, TrialConfig
    from pdf_search.data import Prepared
    from pdf_search.inference import Trained
    from pdf_search.sweep import SweepFolder

SHOWN_GRAPHS = 12  # most numbers of kept graphs in a message

RunName = Annotated[
    str,
    Argument(metavar="RUN", help="A run of `pdf-search train`, or a sweep: name or folder."),
]


@dataclass(frozen=True)
class TrialOptions:
    """The options that choose a trial of a sweep."""

    trial: Annotated[int | None, Option(min=0, help="Number of a sweep's trial.")] = None
    phase: Annotated[Phase, Option(help="Phase of --trial.")] = Phase.SEARCH


@dataclass(frozen=True)
class StoredModel:
    """A trained model on storage; ``explained`` is the default folder of its explanation.

    ``trial`` is its number and phase in a sweep. ``exported``: its folder is one of ``export``.
    """

    config: TrialConfig
    checkpoint: str  # folder or URI
    explained: Path
    trial: tuple[int, Phase] | None = None
    exported: bool = False


def find_run(
    run: str, which: TrialOptions, output: OutputOptions, winner: bool = False
) -> StoredModel:
    """Find the model of a single run, or of a trial of a sweep if ``which`` gives a number.

    ``winner``: a sweep may be named without a number, for the first of its confirmed trials.

    Raises:
        ConfigError: there is none, or it has no checkpoint.
        StoreError: there is no such sweep or trial.
    """
    if which.trial is not None:
        return _of_sweep(recorded_folder(run, output), which.trial, which.phase)
    from pdf_search.runs import find_folder, holds_sweep, instead_of_sweep, is_run

    folder = find_folder(output.out, run)
    if holds_sweep(folder):
        found = recorded_folder(run, output)
        with found.open_store() as store:
            parts = part_names(store, found)
            if parts or not winner:
                raise _needs_number(found, parts)
        return _of_sweep(found, _winner(found), Phase.CONFIRM)
    none = f"no sweep and no trained model in {folder}: {instead_of_sweep(folder)}"
    if nearest(folder) != folder:
        raise ConfigError(none)
    from pdf_search.inference import is_exported, load_exported, read_config
    from pdf_search.training import CHECKPOINT

    if is_exported(folder):
        return StoredModel(
            load_exported(folder).config, str(folder), folder / "explain", None, True
        )
    if not is_run(folder):
        raise ConfigError(none)
    config = read_config(folder)
    if not (folder / CHECKPOINT).is_file():
        raise ConfigError(
            f"{folder} holds no trained model: the run diverged or ended before its first "
            "checkpoint (curve.csv shows how far it came); train it again"
        )
    return StoredModel(config, str(folder), folder / "explain")


def _winner(folder: SweepFolder) -> int:
    """The number of the sweep's first confirmed trial, in the order of the search.

    Raises:
        ConfigError: none was confirmed.
    """
    from reports import load_sweep

    with folder.open_store() as store:
        data = load_sweep(store, folder.name, called=folder.called, where=folder.where)
    if data.winning_run is not None:
        return data.winning_run.trial.number
    raise ConfigError(
        f"{folder.called} has no confirmed trial yet: train its best again with "
        f"`{data.how_to_confirm}`, or name a trial of the search with --trial N "
        f"(`pdf-search show {shlex.quote(folder.called)}`)"
    )


def _needs_number(folder: SweepFolder, parts: list[str]) -> ConfigError:
    """The error that a sweep or study was named where one trial is wanted.

    ``parts`` are those of a study, [] for a sweep.
    """
    what, which = "sweep", "one of its trials with --trial N"
    if parts:
        what, which = "study", "one of its runs with --phase confirm --trial N"
    if parts and parts != [folder.called]:
        which = f"one of its parts ({', '.join(parts)}) and {which}"
    show = f"pdf-search show {shlex.quote(folder.called)}"
    return ConfigError(f"{folder.called} is a {what}: name {which} (`{show}` lists them)")


def _of_sweep(folder: SweepFolder, number: int, phase: Phase) -> StoredModel:
    from pdf_search.config import parse_trial
    from reports import find_trial, load_sweep

    name = folder.called
    with folder.open_store() as store:
        parts = part_names(store, folder)
        if parts and folder.called not in parts:
            raise _needs_number(folder, parts)
        data = load_sweep(store, folder.name, called=folder.called, where=folder.where)
    entry = find_trial(data, number, phase)
    trial = entry.trial
    if entry.is_baseline:
        confirmed = (f"{e.trial.number} ({e.trial.origin})" for e in data.confirm if e != entry)
        raise ConfigError(
            f"trial {number} of {name} (confirm) is the predictor without a model; the confirmed "
            f"ones are {', '.join(confirmed)}"
        )
    if not trial.checkpoint:
        raise ConfigError(
            f"trial {number} of {name} ({phase.value}) is {trial.state.value} and has no "
            "checkpoint: choose a complete one, or one that was trained again with --phase confirm"
        )
    config = parse_trial(trial.config, f"trial {number} of {name}")
    say(f"model: trial {number} of phase {phase.value} ({trial.origin})")
    if note := data.beside_note(entry):
        say(f"note: {note}")
    explained = folder.path / "explain" / folder.part / f"{phase.value}-{number}"
    return StoredModel(config, folder.checkpoint(trial.checkpoint), explained, (number, phase))


@contextmanager
def loaded(
    stored: StoredModel, source: DataOptions, replicate: int | None = None
) -> Iterator[Trained]:
    """Load the model on the CPU, inside a ``with`` block.

    Data are needed, and prepared, only if an older version wrote the checkpoint.
    """
    with _local(stored.checkpoint) as folder:
        yield _load(folder, stored, source, replicate)


@contextmanager
def loaded_to_explain(
    stored: StoredModel, source: DataOptions, replicate: int, graph: int | None
) -> Iterator[Trained]:
    """Load the model with graphs to explain, inside a ``with`` block.

    The graphs are those kept with the model, or its data set if ``graph`` is not among them.

    Raises:
        ConfigError: graph number ``graph`` is not kept with the model, and the data set is gone.
    """
    from pdf_search.errors import TrialError
    from pdf_search.inference import load_trained, with_excerpt

    if stored.exported:
        raise ConfigError(
            f"{stored.checkpoint} is an exported model, without graphs to explain it on: explain "
            "the run that it came from"
        )
    with _local(stored.checkpoint) as folder:
        trained = _load(folder, stored, source, replicate)
        if trained.data is None:
            try:
                trained = with_excerpt(trained, folder)
            except TrialError as error:
                say(f"warning: {error}; taking graphs from the data set instead")
        if not trained.knows(graph):
            data = _data_of(trained, folder, stored.config.data, source, graph)
            trained = load_trained(folder, stored.config, data, replicate)
        yield trained


def _load(folder: Path, stored: StoredModel, source: DataOptions, replicate: int | None) -> Trained:
    from pdf_search.data import recorded_data
    from pdf_search.inference import NeedsDataError, load_exported, load_trained

    if stored.exported:
        return load_exported(folder)
    try:
        return load_trained(folder, stored.config, None, replicate)
    except NeedsDataError as needs:
        data = recorded_data("", needs.fingerprint, source.cache)
    if data is None:
        data = source.load(stored.config.data)
    return load_trained(folder, stored.config, data, replicate)


def _data_of(
    trained: Trained, folder: Path, config: DataConfig, source: DataOptions, graph: int | None
) -> Prepared:
    """The data set that the model was trained on: as prepared then, or prepared again."""
    from pdf_search.data import recorded_data

    facts = trained.facts
    data = recorded_data(facts.prepared, facts.fingerprint, source.cache)
    if data is not None:
        return data
    try:
        data = source.load(config)
    except DataError as error:
        raise ConfigError(_not_kept(trained, folder, graph, str(error))) from None
    if data.fingerprint != facts.fingerprint:
        now = f"{config.path or 'its raw files'} changed since the training"
        raise ConfigError(_not_kept(trained, folder, graph, now))
    return data


def _not_kept(trained: Trained, folder: Path, graph: int | None, why: str) -> str:
    which = "" if graph is None else f"--graph {graph}: "
    there = "no graphs are"
    if trained.excerpt is not None:
        numbers = trained.excerpt.numbers.tolist()
        more = f", ... ({len(numbers)} in all)" if len(numbers) > SHOWN_GRAPHS else ""
        there = f"only graphs {', '.join(map(str, numbers[:SHOWN_GRAPHS]))}{more} are"
    return (
        f"{which}{there} kept with the model in {folder}, and its data set is gone: the prepared "
        f"data {trained.facts.prepared} are not there any more, and {why}. Restore the data, or "
        "name a graph that is kept"
    )


@contextmanager
def _local(checkpoint: str) -> Iterator[Path]:
    """The checkpoint's folder inside a ``with`` block, a copy if it is on remote storage."""
    if Path(checkpoint).is_dir():
        yield Path(checkpoint)
        return
    from pdf_search.sweep import recorded_copy

    with recorded_copy(checkpoint) as folder:
        yield folder
