"""Words for messages: nouns in singular or plural after a number, names hard to see."""

from __future__ import annotations

import unicodedata


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 graph``, ``2,000 graphs``.

    ``plural`` is needed where the plural is not the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def visible(name: str) -> str:
    """Return a name for messages; quoted, with escapes, where something in it cannot be seen.

    That is a character that is not printable, a blank too many, or a letter that looks like
    another because it is composed in another way.
    """
    if not unicodedata.is_normalized("NFC", name):
        return ascii(name)
    plain = name.isprintable() and " ".join(name.split()) == name
    return name if name and plain else repr(name)
