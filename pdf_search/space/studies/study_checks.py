"""Checks that the rows of a study go together: their names, data and candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pdf_search.records import Protocol
from pdf_search.space.files.problems import Problems, Where
from pdf_search.space.points import differences
from pdf_search.space.studies.study import StudyHead, StudyRow


def check_beside(row: StudyRow, rows: Sequence[StudyRow], where: Where, problems: Problems) -> None:
    """Check a row against the ``rows`` above it. What is wrong goes to ``problems``.

    Its name must be new for its data set, rows of one data set must have the same data and folds,
    and candidates of one row must be on one data set.
    """
    mine = row.candidate_of
    rivals = [other for other in rows if mine is not None and other.candidate_of == mine]
    if any(other.dataset != row.dataset for other in rivals):
        problems.add(
            where,
            f"{row.dataset}, but another candidate of {mine!r} is on "
            f"{rivals[0].dataset}: candidates are compared on one data set",
        )
    same_data = [other for other in rows if other.dataset == row.dataset]
    if any(other.name == row.name for other in same_data):
        problems.add((*where, "name"), f"{row.name!r} is there twice for {row.dataset}; rename one")
    for other in same_data[:1]:
        changed = differences(row.config, other.config, ("data", "folds"))
        if changed:
            problems.add(
                where,
                f"{', '.join(changed)}, unlike row {other.name!r} of the same data set: the rows "
                "of a table share their data; make it a study of its own",
            )


def check_nested(head: StudyHead, rows: Any, problems: Problems) -> None:
    """Check that there are rows with candidates if and only if ``nested`` is a protocol.

    ``rows``: the rows as plain data. What is wrong goes to ``problems``.
    """
    listed = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    some = any(row.get("candidates") or row.get("candidate_of") for row in listed)
    if problems.follows(("protocols",)):
        return
    if some and Protocol.NESTED not in head.protocols:
        text = "candidates are chosen among under nested: write protocols: [nested]"
        problems.add(("protocols",), text)
    if listed and not some and Protocol.NESTED in head.protocols:
        text = "nested chooses among a row's candidates, and no row lists any"
        problems.add(("protocols",), text)
