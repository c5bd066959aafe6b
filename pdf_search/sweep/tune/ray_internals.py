"""What has no public counterpart in Ray, changed for the time being; a Ray without it runs too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from pdf_search.data import Progress


@contextmanager
def replaced(
    module: str, name: str, make: Callable[[Any], Any], say: Progress, without: str
) -> Iterator[None]:
    """Something else in the place of a private name of Ray, ``make`` of what stands there.

    Where this version of Ray lacks the name, nothing is replaced; ``say`` is told so, and what
    the user is ``without``.
    """
    try:
        place: Any = import_module(module)
        before = getattr(place, name)
    except (ImportError, AttributeError):
        say(f"note: this version of Ray has no {module}.{name}: {without}")
        yield
        return
    setattr(place, name, make(before))
    try:
        yield
    finally:
        setattr(place, name, before)
