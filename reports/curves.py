"""Learning curves as plain numbers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pdf_search.records import Metric
from pdf_search.results import Stat
from reports.numbers import scaled
from reports.sweep_data import Entry, SweepData

MOST_CURVES = 5


@dataclass(frozen=True)
class Curve:
    """Mean and population standard deviation over replicates by epoch.

    ``part``: ``train loss``, ``valid`` or ``test``. ``std`` has None where fewer than two
    replicates have a value. Metrics are in the printed unit, the loss as recorded.
    """

    label: str
    state: str
    part: str
    epochs: tuple[int, ...]
    mean: tuple[float | None, ...]
    std: tuple[float | None, ...]


def learning_curves(data: SweepData) -> list[Curve]:
    """Curves of the confirmed configurations, or of the search's best before a confirmation."""
    confirmed = [entry for entry in data.confirmations if entry.epochs]
    shown = (confirmed or [entry for entry in data.search if entry.epochs])[:MOST_CURVES]
    parts = ("train loss", "valid", "test") if confirmed else ("train loss", "valid")
    curves = [curve_of(data.metric, e, part, label_of(e)) for e in shown for part in parts]
    return [curve for curve in curves if curve is not None]


def stopping_curves(data: SweepData) -> list[Curve]:
    """The validation curve of every search trial, as far as it came."""
    curves = (curve_of(data.metric, e, "valid", label_of(e)) for e in data.search)
    return [curve for curve in curves if curve is not None]


def label_of(entry: Entry) -> str:
    number = entry.searched_as
    return f"trial {entry.trial.number if number is None else number}"


def curve_of(metric: Metric, entry: Entry, part: str, label: str) -> Curve | None:
    """A trial's curve of one part; None where it has no values."""
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
        std=tuple(s.std if loss else scaled(s.std, metric) for s in stats),
    )


def readable_range(curves: Iterable[Curve], keep: float = 0.95) -> tuple[float, float] | None:
    """A range of y that shows most values: a diverging trial must not flatten all others."""
    values = sorted(v for curve in curves for v in curve.mean if v is not None)
    if len(values) < 2:
        return None
    cut = (1 - keep) / 2
    low, high = _quantile(values, cut), _quantile(values, 1 - cut)
    low, high = _extended(values, low, high)
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def _quantile(values: Sequence[float], q: float) -> float:
    return values[min(int(q * len(values)), len(values) - 1)]


def _extended(values: Sequence[float], low: float, high: float) -> tuple[float, float]:
    """Take the extremes in where they are not far off."""
    reach = 0.5 * (high - low)
    return (
        values[0] if low - values[0] <= reach else low,
        values[-1] if values[-1] - high <= reach else high,
    )
