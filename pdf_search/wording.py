"""Nouns in singular or plural after a number, for messages."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 graph``, ``2,000 graphs``.

    ``plural`` is needed where the plural is not the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
