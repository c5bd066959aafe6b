"""The store: reads and writes sweeps, trials, replicates and epochs in one database.

Every method is one short transaction, and none stays open between two calls: Optuna, whose tables
live in the same database, would have to wait for our lock. The driver of a sweep is the only
writer. Others may read at any time; they see an epoch of a trial with all replicates or not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from difflib import get_close_matches
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from pdf_search.errors import StoreError
from pdf_search.paths import why_not_writable
from pdf_search.records import EpochReport, Phase, SweepRecord, TrialRecord
from pdf_search.results import rows, tables
from pdf_search.results.database import (
    BUSY_SECONDS,
    Patience,
    check_file,
    open_engine,
    parse_url,
    read_only,
    shown,
    sqlite_file,
    transaction,
)
from pdf_search.results.migrations import STEPS, check_version, migrate, stored_version
from pdf_search.results.queries import ordered_epochs, replicates, sweep_id

MOST_NUMBERS = 10  # how many trial numbers an error message lists
SWEEP_FIELDS = frozenset(field.name for field in fields(SweepRecord)) - {"name"}
FIXED = {"sweep", "phase", "number", "replicates"}
TRIAL_FIELDS = frozenset(field.name for field in fields(TrialRecord)) - FIXED


def no_trial(sweep: str, phase: Phase, number: int, known: Sequence[int]) -> StoreError:
    """The error for an unknown trial; its message lists the ``known`` numbers."""
    shown = ", ".join(map(str, sorted(known)[:MOST_NUMBERS])) or "none"
    if len(known) > MOST_NUMBERS:
        shown += f" and more, up to {max(known)}"
    return StoreError(f"sweep {sweep!r} has no trial {number} in phase {phase}; it has {shown}")


def holds_results(url: str) -> bool:
    """Whether a database has our tables; False if it can be made or filled, which is checked.

    Nothing is written.

    Raises:
        StoreError: it can neither be read nor made.
    """
    parsed = parse_url(url)
    file = sqlite_file(parsed)
    if file is not None and not file.exists():
        if reason := why_not_writable(file.parent):
            raise StoreError(f"{file} cannot be made: {reason}; name another place with --db")
        return False
    check_file(parsed, create=False)
    engine = open_engine(read_only(parsed))
    try:
        with transaction(engine, writes=False) as connection:
            return stored_version(connection) is not None
    finally:
        engine.dispose()


class Store:
    """Results of sweeps in an SQLite file or a PostgreSQL database.

    Args:
        url: ``sqlite:////abs/path.db``, ``postgresql://user@host/db``, or a path of an SQLite file.
        create: whether to create the file and our tables if they are missing. Readers pass False.
        busy_seconds: how many seconds a call waits for another writer's lock (SQLite only).

    ``patience``: how a call waits beyond that for a database that is locked or gone; None: not.

    Raises:
        StoreError: every method can raise it: the database is missing, locked or damaged, its
            tables are of a newer version, or it has no such sweep or trial.
    """

    def __init__(self, url: str, create: bool = True, busy_seconds: float = BUSY_SECONDS) -> None:
        self.url = parse_url(url)
        self.patience: Patience | None = None
        check_file(self.url, create)
        self._ids: dict[tuple[str, Phase, int], int] = {}  # of trials
        self._engine = open_engine(read_only(self.url) if not create else self.url, busy_seconds)
        try:
            self._check_schema(create)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections. SQLite then merges its write-ahead log into the file."""
        self._engine.dispose()

    def wait(self) -> None:
        """Wait until the database is there and no other process writes to it; see ``patience``."""
        with self._writing():
            pass

    @property
    def place(self) -> str:
        """The SQLite file, or the URL without its password, for messages."""
        return shown(self.url)

    def create_sweep(self, sweep: SweepRecord) -> None:
        """Insert a sweep. Raises StoreError if the name is taken."""
        with self._writing() as connection:
            if sweep_id(connection, sweep.name) is not None:
                raise StoreError(
                    f"sweep {sweep.name!r} exists in {self.place}; continue it with "
                    f"`pdf-search resume {sweep.name}` or choose another --name"
                )
            connection.execute(tables.sweep.insert().values(rows.sweep_row(sweep)))

    def update_sweep(self, name: str, **changes: Any) -> None:
        """Change fields of a sweep. Raises TypeError for ``name`` and for unknown fields."""
        unknown = set(changes) - SWEEP_FIELDS
        if unknown:
            raise TypeError(f"a sweep has no field {', '.join(sorted(unknown))} to change")
        with self._writing() as connection:
            identity = self._known_sweep(connection, name)
            statement = tables.sweep.update().where(tables.sweep.c.id == identity)
            if changes:
                connection.execute(statement.values(changes))

    def delete_sweep(self, name: str) -> None:
        """Delete a sweep with its trials and epochs."""
        with self._writing() as connection:
            identity = self._known_sweep(connection, name)
            connection.execute(tables.sweep.delete().where(tables.sweep.c.id == identity))
            self._ids.clear()

    def sweep(self, name: str) -> SweepRecord:
        """Return the record of a sweep."""
        with self._reading() as connection:
            identity = self._known_sweep(connection, name)
            query = sa.select(tables.sweep).where(tables.sweep.c.id == identity)
            return rows.sweep_record(connection.execute(query).mappings().one())

    def sweeps(self, name: str | None = None) -> list[SweepRecord]:
        """Return all sweeps, oldest first. ``name``: only this sweep, or this study's parts."""
        query = sa.select(tables.sweep).order_by(tables.sweep.c.created, tables.sweep.c.id)
        if name is not None:
            known, below = tables.sweep.c.name, f"{name}/"
            # Not LIKE, which ignores case in SQLite.
            query = query.where((known == name) | (sa.func.substr(known, 1, len(below)) == below))
        with self._reading() as connection:
            return [rows.sweep_record(row) for row in connection.execute(query).mappings()]

    def save_trial(self, trial: TrialRecord) -> None:
        """Insert a trial, or replace that of the same sweep, phase and number; epochs stay."""
        values = rows.trial_row(trial)
        with self._writing() as connection:
            identity = self._trial_id(connection, trial.sweep, trial.phase, trial.number)
            if identity is None:
                values["sweep_id"] = self._known_sweep(connection, trial.sweep)
                insert = tables.trial.insert().values(values).returning(tables.trial.c.id)
                identity = connection.execute(insert).scalar_one()
            else:
                update = tables.trial.update().where(tables.trial.c.id == identity)
                connection.execute(update.values(values))
                old = tables.replicate.c.trial_id == identity
                connection.execute(tables.replicate.delete().where(old))
            if trial.replicates:
                members = rows.replicate_rows(trial, identity)
                connection.execute(tables.replicate.insert(), members)

    def update_trial(self, sweep: str, phase: Phase, number: int, **changes: Any) -> None:
        """Change fields of a trial. Raises TypeError for fields that are fixed or unknown."""
        with self._writing() as connection:
            self._update(connection, self._known_trial(connection, sweep, phase, number), changes)

    def trials(self, sweep: str, phase: Phase | None = None) -> list[TrialRecord]:
        """Return a sweep's trials, or those of a phase, by phase (search first) and number."""
        with self._reading() as connection:
            chosen = tables.trial.c.sweep_id == self._known_sweep(connection, sweep)
            if phase is not None:
                chosen &= tables.trial.c.phase == phase
            query = sa.select(tables.trial).where(chosen)
            # descending: "search" sorts after "confirm"
            query = query.order_by(tables.trial.c.phase.desc(), tables.trial.c.number)
            found = connection.execute(query).mappings().all()
            members = replicates(connection, chosen)
        return [rows.trial_record(row, sweep, members[row["id"]]) for row in found]

    def add_epoch(
        self, sweep: str, phase: Phase, number: int, report: EpochReport, **changes: Any
    ) -> None:
        """Insert one epoch of a trial, or replace the one recorded earlier.

        ``changes`` are fields of the trial that change with it, as for ``update_trial``.
        """
        with self._writing() as connection:
            identity = self._known_trial(connection, sweep, phase, number)
            same = (tables.epoch.c.trial_id == identity) & (tables.epoch.c.epoch == report.epoch)
            connection.execute(tables.epoch.delete().where(same))
            connection.execute(tables.epoch.insert(), rows.epoch_rows(report, identity))
            self._update(connection, identity, changes)

    def drop_epochs_after(self, sweep: str, phase: Phase, number: int, epoch: int) -> None:
        """Delete the epochs after ``epoch``, which a resumed trial trains again."""
        with self._writing() as connection:
            identity = self._known_trial(connection, sweep, phase, number)
            later = (tables.epoch.c.trial_id == identity) & (tables.epoch.c.epoch > epoch)
            connection.execute(tables.epoch.delete().where(later))

    def epochs(self, sweep: str, phase: Phase, number: int) -> list[EpochReport]:
        """Return the epochs of one trial, in order."""
        with self._reading() as connection:
            identity = self._known_trial(connection, sweep, phase, number)
            query = ordered_epochs().where(tables.epoch.c.trial_id == identity)
            return rows.epoch_reports(connection.execute(query).mappings().all())

    def all_epochs(
        self, sweep: str, phase: Phase, at: Collection[int] | None = None
    ) -> dict[int, list[EpochReport]]:
        """Return the epochs of every trial of a phase, by trial number.

        Trials without epochs are absent. ``at``: only these epochs.
        """
        with self._reading() as connection:
            identity = self._known_sweep(connection, sweep)
            query = ordered_epochs().add_columns(tables.trial.c.number).join(tables.trial)
            query = query.where(tables.trial.c.sweep_id == identity, tables.trial.c.phase == phase)
            if at is not None:
                query = query.where(tables.epoch.c.epoch.in_(at))
            found = connection.execute(query).mappings().all()
        groups = groupby(found, key=lambda row: row["number"])
        return {number: rows.epoch_reports(list(group)) for number, group in groups}

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with transaction(self._engine, writes=False, patience=self.patience) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with transaction(self._engine, writes=True, patience=self.patience) as connection:
            yield connection

    def _check_schema(self, create: bool) -> None:
        with self._reading() as connection:
            version = stored_version(connection)
        check_version(version)
        if version is None and not create:
            raise StoreError(
                f"{self.place} holds no results of pdf_search; name another database with --db"
            )
        if version != 1 + len(STEPS):
            with self._writing() as connection:
                migrate(connection)

    def _known_sweep(self, connection: sa.Connection, name: str) -> int:
        identity = sweep_id(connection, name)
        if identity is not None:
            return identity
        query = sa.select(tables.sweep.c.name).order_by(tables.sweep.c.id)
        names = connection.execute(query).scalars().all()
        if parts := [known for known in names if known.startswith(f"{name}/")]:
            raise StoreError(
                f"{name} in {self.place} is no sweep by itself: name one of its parts, "
                f"{', '.join(parts)}"
            )
        close = get_close_matches(name, names)
        hint = f"did you mean {' or '.join(close)}? " if close else ""
        raise StoreError(
            f"no sweep named {name!r} in {self.place}; {hint}`pdf-search list` lists all sweeps"
        )

    @staticmethod
    def _update(connection: sa.Connection, identity: int, changes: dict[str, Any]) -> None:
        unknown = set(changes) - TRIAL_FIELDS
        if unknown:
            raise TypeError(f"a trial has no field {', '.join(sorted(unknown))} to change")
        if changes:
            statement = tables.trial.update().where(tables.trial.c.id == identity)
            connection.execute(statement.values(changes))

    def _known_trial(self, connection: sa.Connection, sweep: str, phase: Phase, number: int) -> int:
        key = sweep, phase, number
        if key in self._ids:
            return self._ids[key]
        identity = self._trial_id(connection, *key)
        if identity is None:
            numbers = sa.select(tables.trial.c.number).where(
                (tables.trial.c.sweep_id == self._known_sweep(connection, sweep))
                & (tables.trial.c.phase == phase)
            )
            raise no_trial(*key, connection.execute(numbers).scalars().all())
        self._ids[key] = identity
        return identity

    def _trial_id(
        self, connection: sa.Connection, sweep: str, phase: Phase, number: int
    ) -> int | None:
        query = sa.select(tables.trial.c.id).where(
            tables.trial.c.sweep_id == self._known_sweep(connection, sweep),
            tables.trial.c.phase == phase,
            tables.trial.c.number == number,
        )
        return connection.execute(query).scalar_one_or_none()
