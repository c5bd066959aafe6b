"""The verb ``delete`` removes sweeps, studies and runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.asking import agreed
from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import OutputOptions
from pdf_search.cli.output import megabytes, print_result, say
from pdf_search.errors import ConfigError, PdfSearchError
from pdf_search.paths import above, expanded, last_names
from pdf_search.runs import Contents, find_folder, holds_sweep, is_run, locked
from pdf_search.wording import counted

if TYPE_CHECKING:
    from pdf_search.records import TrialRecord
    from pdf_search.sweep import SweepFolder

ATTEMPT = 3  # last parts of a checkpoint's path: phase, attempt, checkpoint


@dataclass(frozen=True)
class _Doomed:
    """What is removed for one name.

    ``rows`` are the sweeps to delete from ``database``, which other sweeps share; none where the
    database lies in the folder. ``stored`` are checkpoints elsewhere, a folder or URI each.
    ``above``: the folders that a study of several words was given, such as ``paper`` of
    ``paper/abl``; they go once they are empty.
    """

    name: str
    what: str
    contents: Contents
    database: str = ""
    rows: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    above: tuple[Path, ...] = ()

    def lines(self) -> list[str]:
        found = [f"{self.name}: {self.what}, {megabytes(self.contents.size)} in {self._folder}"]
        found += [f"  and its checkpoints in {place}" for place in self.stored]
        foreign = ", ".join(path.name for path in self.contents.foreign)
        return found + [f"  kept, as pdf-search did not write it: {foreign}"] * bool(foreign)

    @property
    def _folder(self) -> Path:
        return self.contents.folder

    def remove(self) -> None:
        if self._folder.is_dir():
            with locked(self._folder):
                self._remove_all()
        else:
            self._remove_all()

    def _remove_all(self) -> None:
        for place in self.stored:
            _remove_stored(place)
        _forget(self.database, self.rows)
        if self.contents.own:
            contents = Contents.of(self._folder)  # the database may have got files beside it
            contents.remove(self.above)


@option_groups
def delete(
    names: Annotated[list[str], Argument(metavar="NAME...", help="Sweeps, studies or runs.")],
    output: OutputOptions,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove sweeps, studies or runs of train: results, checkpoints, reports, explanations.

    Files that pdf-search did not write stay, and the folder of --out. So do the data in the cache.
    """
    doomed = [_doomed(name, output) for name in dict.fromkeys(names)]
    for one in doomed:
        for line in one.lines():
            say(line)
    if not agreed("remove this for good?", yes):
        return
    _remove_each(doomed)


def _remove_each(doomed: Sequence[_Doomed]) -> None:
    """Remove what can be removed; one that cannot does not keep the others.

    Raises:
        PdfSearchError: some could not be removed; the message names each.
    """
    failed: list[tuple[str, PdfSearchError]] = []
    for one in doomed:
        try:
            one.remove()
        except PdfSearchError as error:
            failed.append((one.name, error))
        else:
            print_result(f"deleted {one.name}")
    if failed:
        text = "\n".join(f"{name} is not deleted: {error}" for name, error in failed)
        raise type(failed[0][1])(text)


def _doomed(name: str, output: OutputOptions) -> _Doomed:
    """Find what a name means, and all that belongs to it.

    Raises:
        ConfigError: it is a part of a study.
        StoreError: there is no such sweep or run.
    """
    path = find_folder(output.out, name)
    if output.url is None and is_run(path):
        return _Doomed(name, "a run of train", Contents.of(path))
    folder = recorded_folder(name, output)
    with folder.open_store() as store:
        sweeps = store.sweeps(folder.name) if folder.db else store.sweeps()
        if not sweeps:
            store.sweep(folder.name)  # says that there is none, and what there is
        trials = [trial for sweep in sweeps for trial in store.trials(sweep.name)]
    study = next((s.options["study"]["name"] for s in sweeps if "study" in s.options), None)
    if folder.part or study not in (None, folder.name):
        raise ConfigError(f"{name} is a part of the study {study}: delete the whole study")
    contents = Contents.of(folder.path)
    if folder.db is not None and holds_sweep(folder.path):
        say(f"{folder.path} holds a sweep with a database of its own: it stays")
        contents = replace(contents, own=(), foreign=())
    return _Doomed(
        name,
        f"{'a study' if study else 'a sweep'} of {_counts(trials)}",
        contents,
        folder.db or "",
        tuple(sweep.name for sweep in sweeps) if folder.db else (),
        _stored(folder, trials) if any(s.options.get("storage") for s in sweeps) else (),
        _made_for(study or "", folder.path, expanded(output.out).resolve()),
    )


def _counts(trials: Sequence[TrialRecord]) -> str:
    """How many trials there are, and confirmations and reruns, which are none of them."""
    found = Counter(map(_kind, trials))
    words = [counted(found["trial"], "trial")]
    words += [counted(found[kind], kind) for kind in ("confirmation", "rerun") if found[kind]]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if words[1:] else words[0]


def _kind(trial: TrialRecord) -> str:
    """What a record counts as; the baseline, which trains nothing, as something that is not told.

    The runs of a study are trials.
    """
    if trial.is_rerun:
        return "rerun"
    if trial.is_baseline:
        return "baseline"
    return "trial" if trial.searched_as is None else "confirmation"


def _made_for(study: str, folder: Path, out: Path) -> tuple[Path, ...]:
    """The folders above a study's own that its name of several words made, the innermost first."""
    words = Path(study).parts
    if folder.parts[-len(words) :] != words:
        return ()
    return tuple(
        place for place in folder.parents[: len(words) - 1] if place not in (out, *out.parents)
    )


def _stored(folder: SweepFolder, trials: Sequence[TrialRecord]) -> tuple[str, ...]:
    """The folders or URIs that ``--storage`` named, as recorded checkpoints show them.

    A relative ``--storage`` means another folder here than it did when the sweep ran.
    """
    outer = (above(trial.checkpoint, ATTEMPT) for trial in trials if trial.checkpoint)
    elsewhere = (place for place in outer if "://" in place or Path(place).is_absolute())
    ours = Path(folder.name).parts
    return tuple(sorted({place for place in elsewhere if last_names(place, len(ours)) == ours}))


def _forget(database: str, names: tuple[str, ...]) -> None:
    """Delete the sweeps from a database that others share; Optuna's studies go first."""
    from pdf_search.results import Store
    from pdf_search.sweep import delete_study

    for name in names:
        delete_study(database, name)
        with Store(database, create=False) as store:
            store.delete_sweep(name)


def _remove_stored(place: str) -> None:
    from pdf_search.sweep import delete_stored

    try:
        delete_stored(place)
    except FileNotFoundError:
        say(f"{place}: no checkpoints are there")
    except OSError as error:
        raise ConfigError(f"{place} cannot be removed: {error}") from None
