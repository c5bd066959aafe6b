"""How numbers are printed: rounded by their spread, never more exact than they are."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, log10

from pdf_search.records import METRICS, Metric

SIGNIFICANT = 4  # digits of a value without a spread
MOST_DECIMALS = 6
LARGE, SMALL = 1e9, 1e-4  # beyond them a power of ten is written
VAGUE = ("low", "high", "step", "kind")  # last parts of a path that say little alone


def scaled(value: float | None, metric: Metric) -> float | None:
    """Convert a recorded value to the printed unit (percent for accuracy, ROC-AUC and AP)."""
    if value is None:
        return None
    return value * 100 if metric.percent else value


def unit_of(metric: Metric, unit: str = "") -> str:
    """The printed unit: ``%`` for a metric in percent, else ``unit``."""
    return "%" if metric.percent else unit


def metric_label(name: str, unit: str = "") -> str:
    """Name of a metric with its unit: ``RMSE (kcal/mol)``, ``accuracy (%)``."""
    metric = METRICS[name]
    return metric.label if metric.percent or not unit else f"{metric.label} ({unit})"


def decimals_of(value: float, spread: float | None) -> int:
    """How many decimals show two significant digits of the spread; without one, four of the value.

    At most ``MOST_DECIMALS``.
    """
    if spread is not None and spread > 0 and isfinite(spread):
        exponent = int(f"{spread:.1e}".split("e")[1])  # after rounding: 0.0996 counts as 0.10
        return min(max(1 - exponent, 0), MOST_DECIMALS)
    if value == 0 or not isfinite(value):
        return 2
    return min(max(SIGNIFICANT - 1 - floor(log10(abs(value))), 0), MOST_DECIMALS)


def format_value(value: float | None, spread: float | None) -> str:
    """Format a value alone, to the decimals that its spread allows; an en dash for None."""
    if value is None:
        return "–"
    return _written(value, value, spread)


def format_spread(value: float | None, spread: float | None) -> str:
    """Format a spread to the decimals of its value; empty if there is none."""
    if value is None or spread is None:
        return ""
    text = _written(spread, value, spread)
    return f"{spread:.1e}" if spread and not float(text) else text  # a small spread is not 0


def _written(number: float, value: float, spread: float | None) -> str:
    if not isfinite(number):
        return str(number)
    if abs(number) >= LARGE or 0 < max(abs(value), spread or 0.0) < SMALL:
        return f"{number:.{SIGNIFICANT - 1}e}"
    return f"{number:.{decimals_of(value, spread)}f}"


def format_both(value: float | None, spread: float | None) -> str:
    """Format value and spread, ``0.066 ± 0.002``; a single run has no spread."""
    second = format_spread(value, spread)
    return format_value(value, spread) + (f" ± {second}" if second else "")


def format_count(count: int | None) -> str:
    """Format a count with commas, ``499,681``; an en dash for None."""
    return "–" if count is None else f"{count:,}"


def format_seconds(seconds: float | None) -> str:
    """Format a duration: ``8.4 s``, ``3 min 20 s``, ``2 h 05 min``; an en dash for None."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def format_parameter(value: object) -> str:
    """Format a sampled value: floats to four significant digits, lists and trees compactly."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {format_parameter(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(format_parameter, value)) + "]"
    return "–" if value is None else str(value)


def short_names(paths: Iterable[str]) -> dict[str, str]:
    """Map each dotted path to its shortest ending that no other path has.

    An ending that says little alone (``VAGUE``) keeps the part before it.
    """
    every = list(dict.fromkeys(paths))
    names = {}
    for path in every:
        parts = path.split(".")
        fewest = 2 if parts[-1] in VAGUE else 1
        endings = [".".join(parts[i:]) for i in range(len(parts) - fewest, -1, -1)]
        names[path] = next(
            (e for e in endings if sum(p == e or p.endswith("." + e) for p in every) == 1), path
        )
    return names
