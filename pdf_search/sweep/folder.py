"""Where a sweep's files lie."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import make_url

from pdf_search.errors import ConfigError, StoreError
from pdf_search.paths import expanded
from pdf_search.records import PREDICTIONS
from pdf_search.results import Store, is_study_part
from pdf_search.runs import (
    NAME,
    NAME_RULE,
    RUN,
    find_folder,
    free_name,
    holds_sweep,
    instead_of_sweep,
    is_run,
    locked,
    places,
    resume_command,
)

ATTEMPT = 3  # last words of a checkpoint's place: phase, attempt, checkpoint


@dataclass(frozen=True)
class SweepFolder:
    """OUT/NAME, absolute. ``db``: file or URL of a database elsewhere, None for the one inside.

    ``label``: the whole name where it has several words, such as ``paper/ablation``. ``part``: its
    last words where they name a part of the study that lies here, such as ``mutag/inner``.
    ``recorded``: the name in the database, where the folder was renamed since.
    """

    path: Path
    db: str | None = None
    label: str = ""
    part: str = ""
    recorded: str = ""

    @classmethod
    def of(cls, out: Path, name: str, db: str | None) -> SweepFolder:
        return cls(expanded(out).resolve() / name, db, name)

    @classmethod
    def find(cls, out: Path, name: str, db: str | None) -> SweepFolder:
        """Where a recorded sweep lies: ``name`` is below ``out``, or a path of its own.

        A part of a study lies in the study's folder. A folder that was renamed still has the name
        of the one sweep or study in it in its database.
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
            return self  # told when it is opened to be used
        studies = {s.name: s.options["study"] for s in sweeps if is_study_part(s)}
        parts = {part for study in studies.values() for part in study["parts"]}
        tops = {studies[s.name]["name"] if s.name in studies else s.name for s in sweeps}
        if len(tops) != 1 or self.label in parts | tops:
            return self
        recorded = "/".join([*tops, *([self.part] if self.part else [])])
        return self if recorded == self.called else replace(self, recorded=recorded)

    @property
    def name(self) -> str:
        """In the database."""
        return self.recorded or self.called

    @property
    def called(self) -> str:
        """On the command line."""
        return self.label or self.path.name

    def called_now(self, recorded: str) -> str:
        """What a sweep in this folder is called on the command line, by its recorded name."""
        if not self.recorded:
            return recorded
        was, is_now = (_without(name, self.part) for name in (self.name, self.called))
        return is_now + recorded.removeprefix(was)

    @property
    def out(self) -> Path:
        """The folder of all sweeps."""
        return self.path.parents[_without(self.called, self.part).count("/")]

    def stored(self, checkpoint: str) -> str:
        """How the place of a checkpoint is recorded: inside this folder relative to it."""
        if self.db is None and Path(checkpoint).is_relative_to(self.path):
            return Path(checkpoint).relative_to(self.path).as_posix()
        return checkpoint

    def checkpoint(self, stored: str) -> str:
        """The place of a recorded checkpoint: absolute, or a URI; "" for none.

        Older versions recorded absolute places: what lies likewise in this folder is meant, if it
        was moved or copied since.
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
        """The command that continues what is in here, a password masked."""
        db = self.db or ""
        shown = make_url(db).render_as_string() if "://" in db else db
        return resume_command(self.called, self.out, shown)

    @property
    def database(self) -> str:
        """The SQLite file, or the URL of ``--db``."""
        return self.db or str(self.path / "results.db")

    @property
    def log(self) -> Path:
        return self.path / "sweep.log"

    @property
    def report(self) -> Path:
        return self.path / "report"

    @property
    def predictions(self) -> Path:
        return self.path / PREDICTIONS

    def storage(self, given: str | None) -> str:
        """Absolute folder or URI for checkpoints; one that is shared gets a folder of its own."""
        if given is None:
            return str(self.path / "trials")
        base = given.rstrip("/") if "://" in given else str(expanded(given).resolve())
        return f"{base}/{self.name}"

    def open_store(self, create: bool = False) -> Store:
        """Raises:
        StoreError: no such sweep's database.
        ConfigError: a sweep would begin in the folder of a single run.
        """
        if not create and self.db is None and not holds_sweep(self.path):
            raise StoreError(f"no sweep in {self.path}: {instead_of_sweep(self.path)}")
        if create and is_run(self.path):
            raise ConfigError(f"{self.path} is {RUN}: give another --name")
        return Store(self.database, create=create)

    def locked(self) -> AbstractContextManager[None]:
        """Raises ConfigError: another driver works on this sweep now, or no folder can be made."""
        return locked(self.path)


def _without(name: str, part: str) -> str:
    return name.removesuffix(f"/{part}") if part else name


def default_name(out: Path, space: str) -> str:
    """The space's name, with a number if that is taken.

    Raises:
        ConfigError: no name for a sweep, as a file's name may be; or ``out`` cannot be read.
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
