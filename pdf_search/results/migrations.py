"""Migrates our tables to the newest version, which is recorded in the one row of ``pdf_schema``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from pdf_search.errors import StoreError
from pdf_search.results import tables

Step = Callable[[sa.Connection], None]


def _part_seconds(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE pdf_epoch ADD COLUMN part_seconds JSON")


def _by_target(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE pdf_trial ADD COLUMN by_target JSON")


def _importance(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE pdf_trial ADD COLUMN importance JSON")


def _perturbations(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE pdf_trial ADD COLUMN perturbations JSON")


def _retries(connection: sa.Connection) -> None:
    connection.exec_driver_sql(
        "ALTER TABLE pdf_trial ADD COLUMN retries INTEGER NOT NULL DEFAULT 0"
    )


def _reruns_apart(connection: sa.Connection) -> None:
    """Take reruns out of a sweep's number of trials, in which versions before counted them."""
    connection.exec_driver_sql(
        "UPDATE pdf_sweep SET trials = trials - (SELECT COUNT(*) FROM pdf_trial "
        "WHERE pdf_trial.sweep_id = pdf_sweep.id AND pdf_trial.phase = 'search' "
        "AND substr(pdf_trial.origin, 1, 9) = 'rerun of ')"
    )


# STEPS[i] turns version i + 1 into version i + 2. A step is never changed once released. In a new
# database, tables.py creates the newest version directly.
STEPS: tuple[Step, ...] = (
    _part_seconds,
    _by_target,
    _importance,
    _perturbations,
    _retries,
    _reruns_apart,
)

# Key of a PostgreSQL advisory lock (any constant), so that two processes do not migrate at once.
ADVISORY_LOCK = 0x70646673


def stored_version(connection: sa.Connection) -> int | None:
    """Return the version of our tables in this database; None if they do not exist."""
    if not sa.inspect(connection).has_table(tables.schema.name):
        return None
    return connection.execute(sa.select(tables.schema.c.version)).scalar_one_or_none()


def migrate(connection: sa.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Create our tables or bring them to the newest version, inside the caller's transaction.

    Raises:
        StoreError: a newer version of pdf_search wrote the tables.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
    newest = 1 + len(steps)
    version = stored_version(connection)
    check_version(version, newest)
    if version == newest:
        return
    if version is None:
        tables.metadata.create_all(connection)
        connection.execute(tables.schema.delete())
    else:
        for step in steps[version - 1 :]:
            step(connection)
        connection.execute(tables.schema.delete())
    connection.execute(tables.schema.insert().values(version=newest))


def check_version(version: int | None, newest: int = 1 + len(STEPS)) -> None:
    """Check that this installation knows the version of the tables; None passes.

    Raises:
        StoreError: a newer version of pdf_search wrote the tables.
    """
    if version is not None and version > newest:
        raise StoreError(
            f"the results database has version {version} of our tables, this installation knows "
            f"up to {newest}: a newer pdf_search wrote it. Upgrade with "
            "`pip install --upgrade pdf-search`"
        )
