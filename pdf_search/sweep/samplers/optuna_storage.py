"""Optuna's tables in the results database: opened, created, and a sweep's study removed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import optuna
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from optuna.study import StudyDirection
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from pdf_search.records import Metric
from pdf_search.results import parse_url, sqlite_file, told_as_store_error

TRIES = 5  # to make the tables, while another sweep makes them too
PAUSE = 0.2  # seconds
BUSY_SECONDS = 60.0  # in which SQLite waits for another process's lock


def open_storage(database: str, wait: Callable[[], None] | None = None) -> RDBStorage:
    """Open Optuna's tables in an SQLite file or at a URL; they are created if need be.

    ``wait`` is called before each connection to a server, when the one before may be lost.
    """
    url = parse_url(database)
    file = sqlite_file(url)
    if file is None:
        address, kept = url.render_as_string(hide_password=False), {"pool_pre_ping": True}
        storage = _made(database, partial(RDBStorage, address, engine_kwargs=kept))
        if wait is not None:
            event.listen(storage.engine, "do_connect", lambda *_: wait())
        return storage
    storage = _made(database, partial(_in_file, file))
    # As for our own tables: with its journal, a database survives a kill of the process without a
    # disk flush at each commit.
    event.listen(storage.engine, "connect", _synchronous_normal)
    storage.engine.dispose()
    return storage


def close_storage(storage: RDBStorage) -> None:
    """Close the connections of this thread, and those that wait for use."""
    storage.remove_session()
    storage.engine.dispose()


@contextmanager
def opened_storage(database: str) -> Iterator[RDBStorage]:
    """Open Optuna's tables as ``open_storage``, until the end of the block."""
    storage = open_storage(database)
    try:
        yield storage
    finally:
        close_storage(storage)


def _made(database: str, make: Callable[[], RDBStorage]) -> RDBStorage:
    """Call ``make``, again if another sweep made the tables meanwhile: Optuna takes no lock."""
    for _ in range(TRIES - 1):
        try:
            return make()
        except DBAPIError:
            time.sleep(PAUSE)
    with told_as_store_errors(database):
        return make()


@contextmanager
def told_as_store_errors(database: str) -> Iterator[None]:
    """Raise what Optuna raises within the block for an error of its database as ``StoreError``."""
    try:
        yield
    except (DBAPIError, StorageInternalError) as error:
        cause = error if isinstance(error, DBAPIError) else error.__cause__
        if not isinstance(cause, DBAPIError):
            raise
        raise told_as_store_error(cause, parse_url(database)) from error


def open_study(storage: RDBStorage, name: str, metric: Metric) -> optuna.Study:
    """Open the Optuna study of a sweep; it is created if need be."""
    return optuna.create_study(
        storage=storage,
        study_name=name,
        direction=StudyDirection.MINIMIZE if metric.mode == "min" else StudyDirection.MAXIMIZE,
        load_if_exists=True,
    )


def delete_study(database: str, name: str) -> None:
    """Delete the Optuna study of a sweep, if there is one."""
    with opened_storage(database) as storage:
        if name in optuna.get_all_study_names(storage):
            optuna.delete_study(study_name=name, storage=storage)


class _Cursor(sqlite3.Cursor):
    def execute(self, statement: str, *parameters: Any) -> Self:
        if statement.lstrip().startswith("CREATE ") and not self.connection.in_transaction:
            super().execute("BEGIN IMMEDIATE")
        return super().execute(statement, *parameters)


class _Connection(sqlite3.Connection):
    """Creates tables within a transaction, for which sqlite3 itself begins none.

    So a kill leaves all of Optuna's tables and indices or none: a table that is there without its
    indices would never get them, and two studies could bear one name.
    """

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)


def _in_file(file: Path) -> RDBStorage:
    # Optuna takes the URL only as text, which cannot hold every file name. So the URL is a dummy,
    # and the connection is made from the path.
    connect = partial(
        sqlite3.connect, file, timeout=BUSY_SECONDS, check_same_thread=False, factory=_Connection
    )
    return RDBStorage("sqlite:///results.db", engine_kwargs={"creator": connect})


def _synchronous_normal(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
