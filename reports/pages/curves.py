"""Learning curves, and the figures made of them, as plain numbers without a plotting library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pdf_search.records import Metric
from pdf_search.results import Stat
from reports.entry import Entry
from reports.grid.numbers import scaled
from reports.sweep_data import SweepData

MOST_CURVES = 5
PARTS = ("train loss", "valid", "test")
DECADE = 10  # a logarithmic axis beyond this ratio of values
CUT = 0.025  # share of the values at each end that a range may leave out


@dataclass(frozen=True)
class Curve:
    """Mean and population standard deviation over replicates, by epoch.

    ``part`` is ``train loss``, ``valid`` or ``test``. ``std`` has None where fewer than two
    replicates have a value. Metrics are in the printed unit; the loss is as recorded.
    """

    label: str
    state: str
    part: str
    epochs: tuple[int, ...]
    mean: tuple[float | None, ...]
    std: tuple[float | None, ...]

    @property
    def low(self) -> tuple[float | None, ...]:
        """Lower edge of the band: the mean minus one standard deviation."""
        return self._edge(-1)

    @property
    def high(self) -> tuple[float | None, ...]:
        """Upper edge of the band: the mean plus one standard deviation."""
        return self._edge(1)

    def _edge(self, sign: int) -> tuple[float | None, ...]:
        pairs = zip(self.mean, self.std, strict=True)
        return tuple(None if m is None or s is None else m + sign * s for m, s in pairs)

    @property
    def dotted(self) -> bool:
        """Whether points are drawn on the line, because it has fewer than four."""
        return len(self.epochs) < 4


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its curves.

    ``thin`` are the curves of single folds. ``chosen`` are the epochs at which values are reported,
    with those values. ``rule`` is the epoch, if one was chosen for all folds.
    """

    title: str
    label: str
    curves: tuple[Curve, ...]
    thin: tuple[Curve, ...] = ()
    chosen: tuple[tuple[int, float], ...] = ()
    rule: int | None = None


@dataclass(frozen=True)
class Axis:
    """Range of the y axis, logarithmic where the values span more than a decade."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, panels: Sequence[Panel]) -> Axis | None:
        """The range for the curves of some panels; None if they have too few values."""
        curves = [curve for panel in panels for curve in (*panel.curves, *panel.thin)]
        values = [v for curve in curves for v in curve.mean if v is not None]
        if values and min(values) > 0 and max(values) > DECADE * min(values):
            return cls(0.9 * min(values), 1.1 * max(values), log=True)
        found = readable_range(curves)
        return None if found is None else cls(*found, log=False)


@dataclass(frozen=True)
class CurveFigure:
    """Panels in rows; ``name`` is that of the figure's files, or of its section in a page."""

    name: str
    title: str
    text: str
    rows: tuple[tuple[Panel, ...], ...]

    def places(self) -> Iterator[tuple[int, int, Panel, Axis | None]]:
        """Yield row, column, panel and y axis.

        The panels of a row that show the same quantity share the axis.
        """
        for row, panels in enumerate(self.rows):
            for column, panel in enumerate(panels):
                alike = [other for other in panels if other.label == panel.label]
                yield row, column, panel, Axis.of(alike)

    @property
    def columns(self) -> int:
        """Number of panels in the longest row."""
        return max(map(len, self.rows))

    @property
    def labels(self) -> list[str]:
        """Labels of the curves, each once: a label has one colour in all panels."""
        panels = [panel for row in self.rows for panel in row]
        return list(dict.fromkeys(curve.label for panel in panels for curve in panel.curves))


def learning_figure(data: SweepData, label: str) -> CurveFigure | None:
    """The learning curves in a panel per part (loss, validation, test); None before any epoch."""
    curves = learning_curves(data)
    panels = []
    for part in dict.fromkeys(curve.part for curve in curves):
        own = tuple(curve for curve in curves if curve.part == part)
        panels.append(Panel(part_title(part, label), part_title(part, label), own))
    which = "confirmed configurations" if data.confirmed else "best trials of the search"
    text = f"Mean over replicates of the {which}; the band is one population standard deviation."
    return CurveFigure("learning", "Learning curves", text, (tuple(panels),)) if panels else None


def part_title(part: str, label: str) -> str:
    """Title of a part, such as ``training loss`` or ``test RMSE``; ``label`` names the metric."""
    names = {"train loss": "training loss", "valid": f"validation {label}", "test": f"test {label}"}
    return names[part]


def learning_curves(data: SweepData) -> list[Curve]:
    """Curves of the confirmed configurations or, before a confirmation, of the best search trials.

    At most ``MOST_CURVES`` trials are shown.
    """
    confirmed = [entry for entry in data.confirmations if entry.epochs]
    shown = (confirmed or [entry for entry in data.search if entry.epochs])[:MOST_CURVES]
    parts = PARTS if confirmed else PARTS[:2]
    curves = [curve_of(data.metric, e, part, e.called) for e in shown for part in parts]
    return [curve for curve in curves if curve is not None]


def stopping_curves(data: SweepData) -> list[Curve]:
    """The validation curve of every search trial that has values, up to its last epoch."""
    curves = (curve_of(data.metric, e, "valid", e.called, band=False) for e in data.search)
    return [curve for curve in curves if curve is not None]


def curve_of(
    metric: Metric, entry: Entry, part: str, label: str, band: bool = True
) -> Curve | None:
    """The curve of one part of a trial; None if it has no values.

    Without ``band`` it has no standard deviation, which takes long for many trials.
    """
    field = "train_loss" if part == "train loss" else part
    stats = [Stat.of(getattr(r, field) for r in report.replicates) for report in entry.epochs]
    if all(stat.mean is None for stat in stats):
        return None
    loss = part == "train loss"
    return Curve(
        label=label,
        state=entry.trial.state.value,
        part=part,
        epochs=tuple(report.epoch for report in entry.epochs),
        mean=tuple(s.mean if loss else scaled(s.mean, metric) for s in stats),
        std=tuple(s.std if loss else scaled(s.std, metric) for s in stats)
        if band
        else (None,) * len(stats),
    )


def readable_range(curves: Iterable[Curve]) -> tuple[float, float] | None:
    """A range of y that shows most values and bands, or None for fewer than two values.

    Outliers are left out, so that one diverging trial does not flatten all other curves.
    """
    lines = [line for curve in curves for line in (curve.mean, curve.low, curve.high)]
    values = sorted(v for line in lines for v in line if v is not None)
    if len(values) < 2:
        return None
    low, high = _quantile(values, CUT), _quantile(values, 1 - CUT)
    low, high = _extended(values, low, high)
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def _quantile(values: Sequence[float], q: float) -> float:
    return values[min(int(q * len(values)), len(values) - 1)]


def _extended(values: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """Extend the range to the smallest and largest value, if they lie within half its width."""
    reach = 0.5 * (high - low)
    return (
        values[0] if low - values[0] <= reach else low,
        values[-1] if values[-1] - high <= reach else high,
    )
