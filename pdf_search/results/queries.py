"""Queries that several methods of the store share."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sqlalchemy as sa

from pdf_search.results import tables
from pdf_search.results.rows import Row


def sweep_id(connection: sa.Connection, name: str) -> int | None:
    """The number of a sweep; None if there is none of this name."""
    query = sa.select(tables.sweep.c.id).where(tables.sweep.c.name == name)
    return connection.execute(query).scalar_one_or_none()


def replicates(
    connection: sa.Connection, chosen: sa.ColumnElement[bool]
) -> defaultdict[int, list[Row]]:
    """The rows of ``pdf_replicate`` of the chosen trials, by the trial's number in the database."""
    query = sa.select(tables.replicate).join(tables.trial).where(chosen)
    query = query.order_by(tables.replicate.c.trial_id, tables.replicate.c.replicate)
    members: defaultdict[int, list[Row]] = defaultdict(list)
    for row in connection.execute(query).mappings():
        members[row["trial_id"]].append(row)
    return members


def ordered_epochs() -> sa.Select[Any]:
    """The rows of ``pdf_epoch`` by trial, epoch and replicate.

    What replicates share as JSON is read with the first of them alone.
    """
    columns = tables.epoch.c
    shared = sa.case((columns.replicate == 0, columns.part_seconds)).label("part_seconds")
    others = [column for column in columns if column is not columns.part_seconds]
    order = columns.trial_id, columns.epoch, columns.replicate
    return sa.select(*others, shared).order_by(*order)
