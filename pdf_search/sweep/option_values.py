"""Checks the values of a sweep's options: their kind, as they come from Python, and their size."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from pdf_search.errors import ConfigError
from pdf_search.records import MOST_COUNT

WHOLE: Mapping[str, tuple[int, int]] = {  # the least and the most
    "seed": (0, 2**32 - 1),
    "top_k": (0, MOST_COUNT),
}
ABOVE_ZERO = ("time", "epoch_timeout")  # checkpoint_seconds may be 0: one after each epoch
OTHERS: Mapping[str, tuple[type, str]] = {
    "bool": (bool, "True or False"),
    "str": (str, "a text"),
    "Path": (Path, "the path of a folder"),
}


def checked(name: str, kind: str, value: Any) -> Any:
    """Return the value of an option as its kind has it: 4 for 4.0, a tuple for a list.

    ``kind`` is the option's type as it is written in ``SweepOptions``.

    Raises:
        ConfigError: the value is of another kind, no finite number, or too small or large.
    """
    wanted, _, none = kind.partition(" | ")
    if value is None and none:
        return None
    if wanted == "int":
        return _whole(name, value)
    if wanted == "float":
        return _real(name, value)
    if wanted == "tuple[str, ...]":
        return _names(name, value)
    if not isinstance(value, OTHERS[wanted][0]):
        raise _wrong(name, value, OTHERS[wanted][1])
    return value


def _whole(name: str, value: Any) -> int:
    least, most = WHOLE.get(name, (1, MOST_COUNT))
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or value < least:
        raise _wrong(name, value, f"a whole number of at least {least}")
    if value > most:
        raise _wrong(name, value, f"{most:,} or less")
    return int(value)


def _real(name: str, value: Any) -> float:
    share = name == "gpus_per_trial"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _wrong(name, value, "a number" if share else "a number of seconds")
    number = _as_float(value)
    if share:
        _check_share(number)
        return number
    if not isfinite(number) or number < 0 or (name in ABOVE_ZERO and not number):
        raise _wrong(
            name, number, f"{'more than 0' if name in ABOVE_ZERO else '0 or more'} seconds"
        )
    return number


def _check_share(gpus: float) -> None:
    if isfinite(gpus) and gpus > 1:
        raise ConfigError(
            f"--gpus-per-trial {gpus:g}: a trial computes on one GPU and would leave the others "
            "idle. Give 1, or a fraction so that several trials share a GPU; trials at once use all"
        )
    if not isfinite(gpus) or gpus < 0:
        raise ConfigError(
            f"--gpus-per-trial {gpus:g}: give 0, 1, or a fraction (several trials share a GPU)"
        )


def _as_float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


def _names(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise _wrong(name, value, "a list of names")
    return tuple(value)


def _wrong(name: str, value: Any, wanted: str) -> ConfigError:
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    return ConfigError(f"--{name.replace('_', '-')} {shown}: give {wanted}")
