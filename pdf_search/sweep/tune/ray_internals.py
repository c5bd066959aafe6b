"""Replaces private names of Ray for a while, where Ray has no public way.

A version of Ray that lacks the name runs too.
"""

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
    """Replace ``module.name`` by ``make`` of its value, inside a ``with`` block.

    If this version of Ray lacks the name, nothing is replaced. ``say`` is then given a note that
    ends with ``without``: what the user has to do without.
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
