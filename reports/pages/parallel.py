"""Parallel coordinates: each trial a line through its sampled values to its validation value.

Drawn as lines, not as plotly's ``parcoords``: that has no hover text, needs WebGL, and cannot show
a parameter that only some of the trials sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

import plotly.graph_objects as go

from reports.entry import Entry
from reports.grid.numbers import format_parameter, format_value, metric_label, scaled, short_names
from reports.pages.importance import ImportanceReport
from reports.pages.theme import COLOURS, FAINT, PAPER, plain, styled
from reports.sweep_data import SweepData

MOST_AXES = 9  # parameters; the last axis is the validation value
LEAST_WIDTH = 760  # pixels
MOST_LINES = 300  # trials, the best of the ranking
TICK = 14  # letters of a value beside its axis
MOST_TICKS = 6  # a parameter with more values has its ends named only
DECADE = 10  # a parameter that spans more is shown by its logarithm
ABSENT_AT = -0.14  # where the line of a trial that does not sample a parameter crosses its axis
GROUPS = (
    ("best quarter of the ranking", COLOURS[1], 2.0),
    ("second quarter", COLOURS[0], 1.2),
    ("lower half", FAINT, 1.0),
)


@dataclass(frozen=True)
class Column:
    """An axis: where each value lies on it, from 0 to 1, and the values named beside it."""

    name: str
    places: tuple[float | None, ...]
    texts: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Parallel:
    """The lines of the figure, best trial first, and what is left out of it."""

    entries: tuple[Entry, ...]
    columns: tuple[Column, ...]
    left_out: tuple[str, ...]
    trials: int


def parallel(data: SweepData, shares: ImportanceReport) -> Parallel | None:
    """Place the trials that have a validation value; None for fewer than two, or nothing varies.

    The parameters that explain most of the ranks come first, then the others as they are recorded.
    """
    every = [e for e in data.search if e.summary.mean is not None and e.trial.params]
    entries = every[:MOST_LINES]
    paths = dict.fromkeys([row.path for row in shares.rows])
    paths |= dict.fromkeys(path for entry in entries for path in entry.trial.params)
    varied = [path for path in paths if len(_texts(path, entries) - {""}) > 1]
    if len(entries) < 2 or not varied:
        return None
    names = short_names(varied)
    shown = varied[:MOST_AXES]
    columns = [_column(names[path], [e.trial.params.get(path) for e in entries]) for path in shown]
    columns.append(_value_column(data, entries))
    left_out = tuple(names[path] for path in varied[MOST_AXES:])
    return Parallel(tuple(entries), tuple(columns), left_out, len(every))


def _texts(path: str, entries: Sequence[Entry]) -> set[str]:
    return {_text(entry.trial.params.get(path)) for entry in entries}


def _text(value: Any) -> str:
    return "" if value is None else format_parameter(value)


def _value_column(data: SweepData, entries: Sequence[Entry]) -> Column:
    values = [scaled(entry.summary.mean, data.metric) for entry in entries]
    label = metric_label(data.sweep.metric, data.unit)
    column = _numbers(f"validation {label}", [v or 0.0 for v in values])
    texts = tuple(format_value(value, None) for value in values)
    ticks = tuple((place, format_value(float(text), None)) for place, text in column.ticks)
    return Column(column.name, column.places, texts, ticks)


def _column(name: str, values: Sequence[Any]) -> Column:
    """A column of numbers, or of named values: these also where there are few of a number."""
    known = [value for value in values if value is not None]
    plain = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known)
    order = sorted(set(known)) if plain else list(dict.fromkeys(map(_text, known)))
    if plain and len(order) > MOST_TICKS:
        return _numbers(name, values)
    named = [_text(value) for value in order] if plain else sorted(order)
    places = {text: i / max(len(named) - 1, 1) for i, text in enumerate(named)}
    texts = tuple(map(_text, values))
    ticks = [(place, text) for text, place in places.items()]
    return Column(name, tuple(map(places.get, texts)), texts, tuple(_thinned(ticks)))


def _thinned(ticks: list[tuple[float, str]]) -> list[tuple[float, str]]:
    return ticks if len(ticks) <= MOST_TICKS else [ticks[0], ticks[-1]]


def _numbers(name: str, values: Sequence[float | None]) -> Column:
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    curved = low > 0 and high / low > DECADE
    at = [None if v is None else log10(v) if curved else float(v) for v in values]
    ends = (log10(low), log10(high)) if curved else (low, high)
    width = (ends[1] - ends[0]) or 1.0
    return Column(
        name,
        tuple(None if place is None else (place - ends[0]) / width for place in at),
        tuple(map(_text, values)),
        ((0.0, f"{low:.4g}"), (1.0, f"{high:.4g}")) if high > low else ((0.0, f"{low:.4g}"),),
    )


def parallel_text(found: Parallel) -> str:
    """What the figure shows, and what it leaves out."""
    some = "" if len(found.entries) == found.trials else f" The best {MOST_LINES} are drawn."
    left = f" Not shown: {', '.join(found.left_out)}." if found.left_out else ""
    absent = " Below an axis: not sampled by that trial." if _has_absent(found) else ""
    return (
        f"Each line is one of {found.trials} trials with a value; the ranking is that of the "
        f"leaderboard.{some}{absent} A click on a group hides it.{left}"
    )


def _has_absent(found: Parallel) -> bool:
    return any(place is None for column in found.columns for place in column.places)


def parallel_figure(found: Parallel) -> go.Figure:
    """Draw the lines, the last of the ranking first, so that the best lie on top."""
    figure = go.Figure()
    for index in reversed(range(len(GROUPS))):
        members = [i for i in range(len(found.entries)) if _group(i, len(found.entries)) == index]
        if members:
            figure.add_trace(_lines(found, members, *GROUPS[index], rank=index))
    for place, column in enumerate(found.columns):
        figure.add_vline(x=place, line={"color": FAINT, "width": 1}, layer="below")
        for at, text in column.ticks:
            figure.add_annotation(
                x=place,
                y=at,
                text=plain(text, TICK),
                showarrow=False,
                xanchor="left",
                xshift=4,
                bgcolor=PAPER,
                borderpad=1,
                opacity=0.85,
            )
    last = len(found.columns) - 1
    figure.update_xaxes(
        tickvals=list(range(last + 1)),
        ticktext=["<br>".join(map(plain, _wrapped(column.name))) for column in found.columns],
        side="top",
        range=[-0.1, last + 0.75],
    )
    figure.update_yaxes(visible=False, range=[ABSENT_AT - 0.06, 1.08])
    styled(figure, height=440, least_width=LEAST_WIDTH)
    figure.update_annotations(font_size=11)
    figure.update_xaxes(showgrid=False, zeroline=False, showline=False)
    return figure.update_layout(margin={"l": 20, "r": 20, "t": 80, "b": 50}, legend={"y": -0.02})


def _group(place: int, count: int) -> int:
    share = place / count
    return 0 if share < 0.25 else 1 if share < 0.5 else 2


def _lines(
    found: Parallel, members: Sequence[int], name: str, colour: str, width: float, rank: int
) -> go.Scatter:
    """One trace for a group: its lines one after the other, with gaps between them."""
    x: list[int | None] = []
    y: list[float | None] = []
    text: list[str] = []
    for member in members:
        told = _told(found, member)
        for place, column in enumerate(found.columns):
            at = column.places[member]
            x.append(place)
            y.append(ABSENT_AT if at is None else at)
            text.append(told)
        x.append(None)
        y.append(None)
        text.append("")
    return go.Scatter(
        x=x,
        y=y,
        text=text,
        mode="lines+markers",
        name=name,
        line={"color": colour, "width": width},
        marker={"size": 5, "color": colour},
        hovertemplate="%{text}<extra></extra>",
        legendrank=rank,
    )


def _told(found: Parallel, member: int) -> str:
    entry = found.entries[member]
    lines = [f"trial {entry.trial.number}, {entry.trial.state.value}"]
    lines += [plain(f"{c.name}: {c.texts[member]}") for c in found.columns if c.texts[member]]
    return "<br>".join(lines)


def _wrapped(name: str) -> list[str]:
    """A name in short lines, cut after dots, underscores and blanks."""
    lines = [""]
    for word in name.replace(".", ".\0").replace("_", "_\0").replace(" ", " \0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(word) > 11:
            lines.append("")
        lines[-1] += word
    return lines
