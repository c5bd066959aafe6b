"""The table that sets sweeps side by side: what was searched, and what the winners are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from reports.findings.winners import compared, winner
from reports.grid.cell import Cell
from reports.grid.grid import ABSENT, Grid, Line
from reports.grid.numbers import format_count, format_parameter, format_seconds, metric_label
from reports.grid.trial_cells import metric_cell
from reports.sweep_data import SweepData
from reports.tables.compared_lengths import (
    epochs_trained,
    length_notes,
    search_length,
    stopped_early,
    winner_length,
)

LONGEST = 40  # characters of a setting
LEFT_OUT = ("data.", "seeds", "phase", "device", "stop_epoch")  # no settings of the model

Named = Sequence[tuple[str, SweepData]]


def sweeps_grid(sweeps: Named) -> Grid:
    """Set sweeps side by side, a column each, given with their names.

    Below the numbers come the settings in which the winners differ. The notes say whether each
    winner's test value differs from that of the first sweep, and where trials had other lengths.
    """
    first = sweeps[0]
    return Grid(
        key="compare",
        title=" and ".join(name for name, _ in sweeps),
        corner="",
        columns=tuple(name for name, _ in sweeps),
        lines=(*_facts(sweeps), *_settings(sweeps)),
        notes=(
            *(compared(first, other).sentence(other[1]) for other in sweeps[1:]),
            *length_notes(sweeps),
        ),
        notices=tuple(f"{name}: {n}" for name, data in sweeps for n in data.notices()),
    )


def _facts(sweeps: Named) -> Iterator[Line]:
    columns = [dict(_column(data)) for _, data in sweeps]
    for fact in columns[0]:
        yield Line(fact, tuple(column[fact] for column in columns), section="facts")


def _column(data: SweepData) -> Iterator[tuple[str, Cell | str]]:
    sweep, best = data.sweep, next((e for e in data.search if e.rank == 1), None)
    runs = (*data.search, *data.confirm)
    won = winner(data)
    yield "data", data.title
    yield "protocol", sweep.protocol.value
    yield "metric", metric_label(sweep.metric, data.unit)
    yield "method", sweep.method
    done = sum(entry.trial.state.finished for entry in data.search)
    yield "trials finished", f"{done} of {sweep.trials}"
    yield "epochs of a trial", search_length(data)
    yield "stopped early", stopped_early(data)
    yield "epochs trained", format_count(epochs_trained(runs))
    yield "training time", format_seconds(sum(entry.trial.seconds or 0.0 for entry in runs))
    yield "best of the search", _value(data, best, "valid")
    yield "winner", ABSENT if won is None else won.called
    yield "its epochs", winner_length(data)
    yield "its validation value", _value(data, won, "valid")
    yield "its test value", _value(data, won, "test")
    yield "n", ABSENT if won is None else str(won.summary.n)
    yield "parameters", ABSENT if won is None else format_count(won.trial.parameters)


def _value(data: SweepData, entry: Any, split: str) -> Cell | str:
    if entry is None:
        return ABSENT
    values = entry.summary.test if split == "test" else entry.summary.valid
    cell = metric_cell(data, entry, split, values)
    return ABSENT if cell.value is None else cell


def _settings(sweeps: Named) -> Iterator[Line]:
    """A line for each setting in which the winners differ."""
    winners = [winner(data) for _, data in sweeps]
    trees = [dict(_flat(entry.trial.config)) if entry else {} for entry in winners]
    for path in dict.fromkeys(path for tree in trees for path in tree):
        values = [tree.get(path) if tree else ABSENT for tree in trees]
        known = [value for value, tree in zip(values, trees, strict=True) if tree]
        if not path.startswith(LEFT_OUT) and any(value != known[0] for value in known):
            cells = (shorten(format_parameter(v), LONGEST, placeholder=" ...") for v in values)
            yield Line(path, tuple(cells), section="settings")


def _flat(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield above + key, value
