"""The folder of a sweep: how it is found by a name, and where the files in it lie."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pdf_search.atomic import whole_file
from pdf_search.errors import ConfigError, ResourceError, StoreError
from pdf_search.full_disk import is_full
from pdf_search.paths import below, expanded
from pdf_search.records import PREDICTIONS
from pdf_search.results import Store, holds_results, is_study_part, masked
from pdf_search.runs import (
    NAME,
    NAME_RULE,
    RUN,
    check_writable,
    find_folder,
    free_name,
    holds_sweep,
    instead_of_sweep,
    is_locked,
    is_run,
    locked,
    places,
    resume_command,
    where_options,
)

ATTEMPT = 3  # last parts of a checkpoint's path: phase, attempt, checkpoint


@dataclass(frozen=True)
class SweepFolder:
    """The folder of a sweep or study.

    ``path`` is OUT/NAME, absolute. ``db`` is the file or URL of a database elsewhere, None for the
    one inside. ``label`` is the whole name, which may have several words: ``paper/ablation``.
    ``part`` is its last words where they name a part of the study, such as ``mutag/inner``.
    ``recorded`` is the name in the database if the folder was renamed since.
    """

    path: Path
    db: str | None = None
    label: str = ""
    part: str = ""
    recorded: str = ""

    @classmethod
    def of(cls, out: Path, name: str, db: str | None) -> SweepFolder:
        """The folder of a sweep that begins: ``name`` below ``out``. Nothing is created."""
        return cls(expanded(out).resolve() / name, db, name)

    @classmethod
    def find(cls, out: Path, name: str, db: str | None) -> SweepFolder:
        """Find the folder of a recorded sweep: ``name`` is below ``out``, or a path of its own.

        A part of a study lies in the study's folder. For a folder that was renamed, the recorded
        name is read from its database, if that holds a single sweep or study. If nothing is found,
        the folder given is the one where the sweep would be.
        """
        for path, label, part in places(out, name):
            folder = cls(path, db, label, part)
            if holds_sweep(folder.path):
                return folder if db is not None else folder._as_recorded()
        usual, path = cls.of(out, name, db), find_folder(out, name)
        return usual if db is not None or path == usual.path else cls(path)

    def _as_recorded(self) -> SweepFolder:
        try:
            with self.open_store() as store:
                sweeps = store.sweeps()
        except StoreError:
            return self  # the error is told when the database is opened for use
        studies = {s.name: s.options["study"] for s in sweeps if is_study_part(s)}
        parts = {part for study in studies.values() for part in study["parts"]}
        tops = {studies[s.name]["name"] if s.name in studies else s.name for s in sweeps}
        if len(tops) != 1 or self.label in parts | tops:
            return self
        recorded = "/".join([*tops, *([self.part] if self.part else [])])
        return self if recorded == self.called else replace(self, recorded=recorded)

    @property
    def name(self) -> str:
        """The name of the sweep in the database."""
        return self.recorded or self.called

    @property
    def called(self) -> str:
        """The name of the sweep on the command line."""
        return self.label or self.path.name

    def called_now(self, recorded: str) -> str:
        """The command line's name for a sweep in this folder, given its recorded name."""
        if not self.recorded:
            return recorded
        was, is_now = (_without(name, self.part) for name in (self.name, self.called))
        return is_now + recorded.removeprefix(was)

    @property
    def out(self) -> Path:
        """The folder of all sweeps (``--out``)."""
        return self.path.parents[_without(self.called, self.part).count("/")]

    def stored(self, checkpoint: str) -> str:
        """The path of a checkpoint as it is recorded: relative to this folder if it lies inside."""
        if self.db is None and Path(checkpoint).is_relative_to(self.path):
            return Path(checkpoint).relative_to(self.path).as_posix()
        return checkpoint

    def checkpoint(self, stored: str) -> str:
        """The absolute path or the URI of a recorded checkpoint; "" for none.

        Older versions recorded absolute paths. If the folder was moved or copied since, the
        checkpoint at the same place inside this folder is meant.
        """
        if not stored or "://" in stored:
            return stored
        words = Path(stored).parts
        if not Path(stored).is_absolute():
            return str(self.path / stored)
        tails = (self.path.joinpath(*words[i:]) for i in range(1, len(words) - ATTEMPT + 1))
        return str(next((place for place in tails if place.is_dir()), stored))

    @property
    def how_to_resume(self) -> str:
        """The command that continues the sweep in this folder, with the password masked."""
        return resume_command(self.called, self.out, masked(self.db or ""))

    @property
    def where(self) -> str:
        """The options of a command that name where this sweep is, with the password masked."""
        return where_options(self.out, masked(self.db or ""))

    @contextmanager
    def resumable(self) -> Iterator[None]:
        """Let an error of the results database or of Ray within the block say how to go on.

        A full disk is told elsewhere.
        """
        try:
            yield
        except (ResourceError, StoreError) as error:
            if is_full(error):
                raise
            kind = StoreError if isinstance(error, StoreError) else ResourceError
            raise kind(f"{error}. Then go on with: {self.how_to_resume}") from error

    @property
    def left(self) -> str:
        """``how_to_resume`` if no process runs the sweep, "" if one does or may do."""
        return "" if is_locked(self.path) else self.how_to_resume

    @property
    def database(self) -> str:
        """The SQLite file, or the URL of ``--db``."""
        return self.db or str(self.path / "results.db")

    @property
    def space(self) -> Path:
        """The file with the space as it is searched, to be copied and changed."""
        return self.path / "space.yaml"

    def keep_space(self, text: str) -> None:
        """Write the text of the space into the folder."""
        with whole_file(self.space) as part:
            part.write_text(text, encoding="utf-8")

    @property
    def log(self) -> Path:
        """The log file of the driver, Ray and Optuna."""
        return self.path / "sweep.log"

    @property
    def report(self) -> Path:
        """The folder of the report."""
        return self.path / "report"

    @property
    def tensorboard(self) -> Path:
        """The folder of the curves for TensorBoard (``--tensorboard``)."""
        return self.path / "tensorboard"

    @property
    def predictions(self) -> Path:
        """The Parquet file with the predictions of the confirmed trials."""
        return self.path / PREDICTIONS

    def storage(self, given: str | None) -> str:
        """The absolute folder or URI for checkpoints.

        ``given`` (``--storage``) may serve several sweeps, so it is extended by the sweep's name.
        None: ``trials`` inside this folder.
        """
        if given is None:
            return str(self.path / "trials")
        return below(given if "://" in given else str(expanded(given).resolve()), self.name)

    def open_store(self, create: bool = False) -> Store:
        """Open the sweep's database; ``create`` makes one that is not there.

        Raises:
            StoreError: there is no database, and none is to be created.
            ConfigError: a sweep would begin in the folder of a single run.
        """
        if not create and self.db is None and not holds_sweep(self.path):
            raise StoreError(f"no sweep in {self.path}: {instead_of_sweep(self.path)}")
        if create:
            self._refuse_run()
        return Store(self.database, create=create)

    def check_usable(self, new: bool) -> None:
        """Check, without writing, the folder and the database; ``new``: that both are free too.

        Raises:
            ConfigError: the folder cannot be made or written to, or holds something else.
            StoreError: the database cannot be used.
        """
        check_writable(self.path)
        self._refuse_run()
        if holds_results(self.database) and new:
            with self.open_store() as store:
                self.refuse_taken(store)

    def refuse_taken(self, store: Store) -> None:
        """Check that a new sweep's name and folder are free.

        Raises:
            ConfigError: another sweep has the name, or the folder.
        """
        names = [sweep.name for sweep in store.sweeps(self.name if self.db else None)]
        if self.name in names or (names and self.db is None):
            held = self.name if self.name in names else names[0]
            raise ConfigError(
                f"sweep {held} exists in {store.place}: continue it with "
                f"`pdf-search resume {self.called}`, or choose another --name"
            )

    def _refuse_run(self) -> None:
        if is_run(self.path):
            raise ConfigError(f"{self.path} is {RUN}: give another --name")

    def locked(self) -> AbstractContextManager[None]:
        """Hold the folder's lock inside a ``with`` block; the folder is made if it is not there.

        Raises:
            ConfigError: another driver works on this sweep, or the folder cannot be made.
        """
        return locked(self.path)


def _without(name: str, part: str) -> str:
    return name.removesuffix(f"/{part}") if part else name


def default_name(out: Path, space: str) -> str:
    """The name of a sweep that was given none: the space's, with a number if that is taken.

    Raises:
        ConfigError: the space's name cannot name a sweep, or ``out`` cannot be read.
    """
    try:
        name = free_name(out, space)
    except OSError as error:
        raise ConfigError(f"--out {out}: cannot be read ({error.strerror})") from None
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"the space's name {space!r} cannot name a sweep ({NAME_RULE}): give --name"
        )
    return name
