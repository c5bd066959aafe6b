"""The result of one check of ``pdf-search doctor``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """What a check found; ``ok`` is False only if a sweep cannot work, as without a package."""

    name: str
    found: str
    ok: bool = True


def guarded(name: str, look: Callable[[], str]) -> Check:
    """Run a check that may raise anything; the exception is then what it found."""
    try:
        return Check(name, look())
    except Exception as error:
        return Check(name, f"{type(error).__name__}: {error}", ok=False)
