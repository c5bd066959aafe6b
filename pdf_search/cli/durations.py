"""Reads durations as people write them, such as 90s or 1h30m."""

from __future__ import annotations

import re

from typer import BadParameter

_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(min|[smhd]?)\s*")


def parse_duration(text: str) -> float:
    """The seconds of a duration such as ``90``, ``90s``, ``30m``, ``1h30m`` or ``2d``.

    Raises:
        BadParameter: the text is no duration. The message names the forms.
    """
    parts = list(_PART.finditer(text.strip()))
    if not parts or "".join(part.group() for part in parts) != text.strip():
        raise BadParameter(f"{text!r} is not a duration: write 90s, 30m, 1h30m or 2d")
    return sum(float(part[1]) * _UNITS[part[2]] for part in parts)
