"""Words for messages: nouns in singular or plural after a number, what is hard to see."""

from __future__ import annotations

import unicodedata

_CONTROL = [*range(0x20), *range(0x7F, 0xA0)]
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROL if chr(code) not in "\t\n"}


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 graph``, ``2,000 graphs``.

    ``plural`` is needed where the plural is not the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def sentence_case(text: str) -> str:
    """Return a text with its first letter as at the beginning of a sentence, the others as is."""
    return text[:1].upper() + text[1:]


def visible(name: str) -> str:
    """Return a name for messages; quoted, with escapes, where something in it cannot be seen.

    That is a character that is not printable, a blank too many, or a letter that looks like
    another because it is composed in another way.
    """
    if not unicodedata.is_normalized("NFC", name):
        return ascii(name)
    plain = name.isprintable() and " ".join(name.split()) == name
    return name if name and plain else repr(name)


def without_control(text: str) -> str:
    """Return a text for a terminal: control characters, which could steer it, as their escapes.

    Tabs and line ends stay. The escapes are those of JSON, which may be such a text.
    """
    return text.translate(_ESCAPES)
