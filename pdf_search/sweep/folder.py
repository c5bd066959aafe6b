"""Where a sweep's files lie, and the lock that lets one driver in at a time."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import make_url

from pdf_search.errors import ConfigError, StoreError
from pdf_search.places import expanded
from pdf_search.results.store import Store
from pdf_search.sweep.options import NAME, NAME_RULE


@dataclass(frozen=True)
class SweepFolder:
    """OUT/NAME, absolute. ``db``: file or URL of a database elsewhere, None for the one inside.

    ``label``: the whole name where it has several words, such as ``paper/ablation``. ``part``: its
    last words where they name a part of the study that lies here, such as ``mutag/inner``.
    """

    path: Path
    db: str | None = None
    label: str = ""
    part: str = ""

    @classmethod
    def of(cls, out: Path, name: str, db: str | None) -> SweepFolder:
        return cls(expanded(out).resolve() / name, db, name)

    @classmethod
    def find(cls, out: Path, name: str, db: str | None) -> SweepFolder:
        """Where a recorded sweep lies; a part of a study lies in the study's folder."""
        words = name.split("/")
        for count in range(len(words), 0, -1):
            path = cls.of(out, "/".join(words[:count]), db).path
            folder = cls(path, db, name, "/".join(words[count:]))
            if folder._has_database():
                return folder
        return cls.of(out, name, db)

    @property
    def name(self) -> str:
        return self.label or self.path.name

    @property
    def out(self) -> Path:
        """The folder of all sweeps."""
        own = self.name.removesuffix(f"/{self.part}") if self.part else self.name
        return self.path.parents[own.count("/")]

    @property
    def how_to_resume(self) -> str:
        """The command that continues what is in here, a password masked."""
        words = ["pdf-search", "resume", self.name]
        if self.out != Path("runs").resolve():
            words += ["--out", str(self.out)]
        if self.db:
            words += ["--db", make_url(self.db).render_as_string() if "://" in self.db else self.db]
        return shlex.join(words)

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
        return self.path / "predictions.parquet"

    def storage(self, given: str | None) -> str:
        """Absolute folder or URI for checkpoints; one that is shared gets a folder of its own."""
        if given is None:
            return str(self.path / "trials")
        base = given.rstrip("/") if "://" in given else str(expanded(given).resolve())
        return f"{base}/{self.name}"

    def open_store(self, create: bool = False) -> Store:
        """Raises StoreError: no such sweep's database."""
        if not create and self.db is None and not self._has_database():
            raise StoreError(f"no sweep in {self.path}: check --out and --name, or give its --db")
        return Store(self.database, create=create)

    def _has_database(self) -> bool:
        try:
            return (self.path / "results.db").is_file()
        except OSError:  # a name that is too long, a folder that may not be read
            return False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Raises ConfigError: another driver works on this sweep now, or no folder can be made."""
        lock = FileLock(self.path / ".lock", timeout=0)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise ConfigError(
                f"another process runs the sweep in {self.path}: wait for it or end it first"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"--out {self.path.parent}: cannot write the sweep's folder there "
                f"({error.strerror or error}). Name a folder of yours"
            ) from None
        try:
            yield
        finally:
            lock.release()


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


def free_name(out: Path, wanted: str) -> str:
    """``wanted``, or with the first number that no folder has yet."""
    taken = {entry.name for entry in out.iterdir()} if out.is_dir() else set()
    number = 1
    name = wanted
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
