"""Finding a trained model: the folder of a run, or a trial of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.groups import Place, Source
from pdf_search.cli.words import say
from pdf_search.errors import ConfigError
from pdf_search.places import expanded
from pdf_search.records import Phase

if TYPE_CHECKING:
    from pdf_search.config import TrialConfig
    from pdf_search.inference.load import Trained

RunName = Annotated[
    str,
    Argument(
        metavar="RUN", help="A run of `pdf-search train`: name or folder. A sweep with --trial."
    ),
]


@dataclass(frozen=True)
class Which:
    """Which trained model of a run."""

    trial: Annotated[int | None, Option(min=0, help="Number of a sweep's trial.")] = None
    phase: Annotated[Phase, Option(help="Phase of --trial.")] = Phase.SEARCH


@dataclass(frozen=True)
class Kept:
    """A trained model on storage. ``explained``: where its explanation goes."""

    config: TrialConfig
    checkpoint: str  # folder or URI
    explained: Path


def find_run(run: str, which: Which, place: Place) -> Kept:
    """The folder of a run, or a trial of a sweep.

    Raises:
        ConfigError: there is none, or it has no checkpoint.
        StoreError: no such sweep or trial.
    """
    if which.trial is not None:
        return _of_sweep(run, which.trial, which.phase, place)
    from pdf_search.inference.load import read_config
    from pdf_search.training.checkpoint import CHECKPOINT

    named = expanded(place.out) / run
    folder = (named if named.is_dir() else expanded(run)).resolve()
    if (folder / "results.db").is_file():
        raise ConfigError(
            f"{folder} is a sweep: name one of its trials with --trial N "
            f"(`pdf-search show {run}` lists them)"
        )
    config = read_config(folder)
    if not (folder / CHECKPOINT).is_file():
        raise ConfigError(
            f"{folder} holds no trained model: the run diverged or ended before its first "
            "checkpoint (curve.csv shows how far it came); train it again"
        )
    return Kept(config, str(folder), folder / "explain")


def _of_sweep(name: str, number: int, phase: Phase, place: Place) -> Kept:
    from pdf_search.config import parse_trial
    from pdf_search.sweep import SweepFolder
    from reports import find_trial, load_sweep

    folder = SweepFolder.find(place.out, name, place.url)
    with folder.open_store() as store:
        trial = find_trial(load_sweep(store, name), number, phase).trial
    if not trial.checkpoint:
        raise ConfigError(
            f"trial {number} of {name} ({phase.value}) is {trial.state.value} and has no "
            "checkpoint: choose a complete one, or one that was trained again with --phase confirm"
        )
    config = parse_trial(trial.config, f"trial {number} of {name}")
    own = folder.path / "explain" / folder.part
    return Kept(config, trial.checkpoint, own / f"{phase.value}-{number}")


@contextmanager
def loaded(kept: Kept, source: Source, replicate: int | None = None) -> Iterator[Trained]:
    """The model on the CPU, its data prepared."""
    from pdf_search.data import load_prepared, prepare
    from pdf_search.inference.load import load_trained

    folder = prepare(kept.config.data, source.data_root, source.cache, source.yes, say)
    data = load_prepared(folder)
    with _local(kept.checkpoint) as checkpoint:
        yield load_trained(checkpoint, kept.config, data, replicate)


@contextmanager
def _local(checkpoint: str) -> Iterator[Path]:
    """The checkpoint's folder; one on remote storage is fetched for the time being."""
    if Path(checkpoint).is_dir():
        yield Path(checkpoint)
        return
    from pdf_search.sweep.checkpoints import local_copy

    try:
        with local_copy(checkpoint) as folder:
            yield folder
    except (FileNotFoundError, ValueError) as error:
        raise ConfigError(f"the checkpoint {checkpoint} is gone ({error})") from None
