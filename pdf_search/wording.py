"""Words that depend on a number."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """``1 graph``, ``2,000 graphs``; ``plural`` where it is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
