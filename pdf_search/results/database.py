"""Opens a database: reads its URL, configures SQLite, and explains the driver's errors."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc

from pdf_search.errors import StoreError
from pdf_search.full_disk import full_words

BUSY_SECONDS = 30.0
WAL_PAUSE = 0.02  # seconds
PASSING = ("locked", "unable to open", "disk I/O error")  # signs that waiting may help
WRITES = "pdf_writes"  # SQLAlchemy execution option that marks a connection that writes
REFUSALS = (  # patterns of what a server says, and remedies
    ("Connection refused", "start the server, or name its host and port in --db"),
    ("resolve host", "correct the host in --db"),
    ("authentication failed", "check user and password: in --db, PGPASSWORD or ~/.pgpass"),
    ("no password supplied", "give it as PGPASSWORD or in ~/.pgpass, or in the URL of --db"),
    ('role ".*" does not exist', "name a user of the server in --db"),
    ('database ".*" does not exist', "make it with createdb, or name another in --db"),
    ("permission denied", "have its owner let this user make tables, or name another with --db"),
    ("No space left", "the disk of the server is full"),
)


class AddressError(StoreError):
    """The address of a database is wrong: a mistake in the command, so it exits with 2."""

    exit_code = 2


def parse_url(text: str) -> sa.URL:
    """Parse ``sqlite:///file``, ``postgresql://...`` or a plain path of an SQLite file.

    Raises:
        AddressError: the URL cannot be read, or its database is neither SQLite nor PostgreSQL.
    """
    if "://" not in text:
        return sa.URL.create("sqlite", database=text)  # as text, a ? in a name would cut it
    try:
        url = sa.make_url(text)
    except exc.ArgumentError:
        raise AddressError(
            "the database URL cannot be read; write sqlite:////absolute/path.db or "
            "postgresql://user:password@host/database"
        ) from None
    backend, url = url.get_backend_name(), _one_password(url)
    if backend == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise AddressError(
            f"database {backend!r} is not supported; use sqlite:/// or postgresql://"
        )
    return url


def masked(word: str) -> str:
    """A word of a command line, with the password of a database URL masked."""
    url = word.removeprefix("--db=")
    if "://" not in url:
        return word
    try:
        known = _one_password(sa.make_url(url))
    except (exc.ArgumentError, ValueError):
        return word
    return word.removesuffix(url) + known.render_as_string(hide_password=True)


def _one_password(url: sa.URL) -> sa.URL:
    """The URL with a password of its query at the usual place, where SQLAlchemy masks it."""
    given = url.query.get("password")
    if given is None:
        return url
    password = given if isinstance(given, str) else given[-1]
    return url.difference_update_query(["password"]).set(password=password)


def sqlite_file(url: sa.URL) -> Path | None:
    """Return the file of an SQLite URL; None for PostgreSQL and for a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def shown(url: sa.URL) -> str:
    """The SQLite file, or the URL as a user writes it, with the password masked."""
    plain = url.set(drivername=url.get_backend_name())
    return str(sqlite_file(url) or plain.render_as_string(hide_password=True))


def open_engine(url: sa.URL, busy_seconds: float = BUSY_SECONDS) -> sa.Engine:
    """Create the engine of a database; nothing is connected yet.

    ``busy_seconds``: how long SQLite waits for a lock. Numbers that are not finite are refused in
    JSON columns.

    Raises:
        StoreError: the PostgreSQL driver is not installed.
    """
    dumps = partial(json.dumps, allow_nan=False)
    try:
        if url.get_backend_name() == "postgresql":
            return sa.create_engine(url, json_serializer=dumps, pool_pre_ping=True)
        engine = sa.create_engine(
            url, json_serializer=dumps, connect_args={"timeout": busy_seconds}
        )
    except ModuleNotFoundError as error:
        raise StoreError(
            f"PostgreSQL needs the package {error.name}: pip install 'pdf-search[postgresql]'"
        ) from None
    event.listen(engine, "connect", partial(_configure_sqlite, busy_seconds=busy_seconds))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: Any, _record: Any, busy_seconds: float) -> None:
    # The sqlite3 module issues no BEGIN before DDL, and a deferred one before writes. This turns
    # its own BEGIN off; _begin_sqlite issues ours.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
    cursor.execute("PRAGMA foreign_keys = ON")
    _set_wal(cursor, time.monotonic() + busy_seconds)
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _set_wal(cursor: Any, deadline: float) -> None:
    """Switch to write-ahead logging, so that others can read while the driver writes."""
    if cursor.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # For this change SQLite does not always respect busy_timeout, so we wait ourselves.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(WAL_PAUSE)


def _begin_sqlite(connection: sa.Connection) -> None:
    # A deferred transaction takes the write lock only at its first write, and can then fail with
    # "database is locked" without waiting for busy_timeout.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@dataclass(frozen=True)
class Patience:
    """How long to wait for a database that is locked or gone, and whom to tell of it, once."""

    say: Callable[[str], None]
    seconds: float = 600.0
    pause: float = 1.0  # seconds between two tries


@contextmanager
def transaction(
    engine: sa.Engine, writes: bool, patience: Patience | None = None
) -> Iterator[sa.Connection]:
    """Yield a connection within one transaction: committed at the end, rolled back on an error.

    ``writes``: SQLite takes the write lock at the beginning.

    Raises:
        StoreError: the database reported an error; the message has the remedy where one is known.
    """
    try:
        with ExitStack() as stack:
            yield _begun(stack, engine.execution_options(**{WRITES: writes}), patience)
    except exc.DBAPIError as error:
        raise told_as_store_error(error, engine.url) from error


def _begun(stack: ExitStack, engine: sa.Engine, patience: Patience | None) -> sa.Connection:
    """Begin a transaction, after waiting for a database that is locked or gone.

    Nothing was done before, so nothing is done twice.
    """
    begun, told = time.monotonic(), False
    while True:
        try:
            return stack.enter_context(engine.begin())
        except exc.OperationalError as error:
            passing = engine.name != "sqlite" or any(sign in str(error) for sign in PASSING)
            if not passing or patience is None or time.monotonic() - begun > patience.seconds:
                raise
            if not told:
                reason = told_as_store_error(error, engine.url)
                patience.say(f"waiting up to {patience.seconds:.0f} s for the {reason}")
            told = True
        time.sleep(patience.pause)


def told_as_store_error(error: exc.DBAPIError, url: sa.URL) -> StoreError:
    """The error of a database in words, with the remedy where one is known."""
    text = " ".join(str(error.orig).split()).rstrip(".")
    if url.get_backend_name() == "sqlite":
        remedy = _remedy_of_file(text, sqlite_file(url) or Path(tempfile.gettempdir()))
    else:
        remedy = next((remedy for sign, remedy in REFUSALS if re.search(sign, text)), "")
        if not remedy and isinstance(error, exc.OperationalError):
            remedy = "check that the server runs and takes connections, and the URL of --db"
    return StoreError(f"results database {shown(url)}: {text}{remedy and '; '}{remedy}")


def _remedy_of_file(text: str, file: Path) -> str:
    for sign, remedy in (
        ("database is locked", "another process writes to it: wait for it, or end it"),
        ("not a database", "the file is something else: name another with --db"),
        ("malformed", "the file is damaged: restore it from a copy"),
        ("unable to open", "the folder is missing or may not be written: name another with --db"),
        ("readonly", "it may not be written: copy it to a folder of yours and name that with --db"),
    ):
        if sign in text:
            return remedy
    return full_words(file) if "disk is full" in text else ""


def check_file(url: sa.URL, create: bool) -> None:
    """Check that an SQLite file is there, or make its folder if it is to be created.

    Raises:
        StoreError: it is not there, is a folder, or its folder cannot be made.
    """
    path = sqlite_file(url)
    if path is None or path.is_file():
        return
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name a file in it with --db")
    if not create:
        raise StoreError(
            f"no results database at {path}; start a sweep first, or name its database with --db"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder of {path}: {error.strerror}") from None


def read_only(url: sa.URL) -> sa.URL:
    """Return a URL that reads an SQLite file whose folder is not writable.

    SQLite cannot create its -wal and -shm files there, so the file is opened as immutable. That is
    safe only while no -wal file exists. Any other URL is returned as it is.
    """
    path = sqlite_file(url)
    if path is None or os.access(path.parent, os.W_OK) or Path(f"{path}-wal").exists():
        return url
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    return sa.URL.create("sqlite", database=path.resolve().as_uri(), query=query)
