"""Words for messages: nouns in singular or plural after a number, names hard to see."""

from __future__ import annotations

import unicodedata


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 graph``, ``2,000 graphs``.

    ``plural`` is needed where the plural is not the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def visible(name: str) -> str:
    """Return a name for messages, quoted in ASCII if it is empty or has characters hard to see."""
    plain = name.isprintable() and " ".join(name.split()) == name
    return name if name and plain and unicodedata.is_normalized("NFKC", name) else ascii(name)
