"""One thing that ``pdf-search doctor`` looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """``ok`` is False only where a sweep cannot work; a missing GPU is fine."""

    name: str
    found: str
    ok: bool = True


def guarded(name: str, look: Callable[[], str]) -> Check:
    """What was found, or the error: whatever a broken installation raises is the finding."""
    try:
        return Check(name, look())
    except Exception as error:
        return Check(name, f"{type(error).__name__}: {error}", ok=False)
