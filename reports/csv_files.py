"""CSV: every number as it is, no rounding; lists and trees as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from reports.leaderboard import LeaderboardRow
from reports.result_table import ResultTable, TableRow


def leaderboard_csv(rows: Sequence[LeaderboardRow]) -> str:
    """One line a trial; sampled values in columns named by their dotted paths."""
    own = [field.name for field in fields(LeaderboardRow) if field.name != "params"]
    paths = dict.fromkeys(path for row in rows for path in row.params)
    return to_csv([*own, *paths], [row.as_dict() for row in rows])


def table_csv(table: ResultTable) -> str:
    """One line a row of the result table, published rows included; no number is an empty cell."""
    columns = [field.name for field in fields(TableRow) if not field.name.endswith("_text")]
    return to_csv(columns, [row.as_dict() for row in table.rows])


def to_csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return out.getvalue()


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, tuple, dict)) else value
