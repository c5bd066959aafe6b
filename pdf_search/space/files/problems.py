"""Collects the problems of a file, so that they are reported together with place and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches

from pdf_search.errors import SpaceError

Where = tuple[str | int, ...]
"""The keys and list indices that lead to a place in a file."""


@dataclass
class Problems:
    """The problems of one source, such as a file or a ``--set``.

    ``source``: its name. ``marks``: the ``file:line`` of each place that was written down.
    ``found``: one line per problem. ``unread``: the places whose value could not be read.
    """

    source: str
    marks: Mapping[Where, str] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    unread: list[Where] = field(default_factory=list)

    def add(self, where: Where, message: str) -> None:
        """Add a problem at a place; the line and the dotted key are put before the message."""
        self.tell(f"{self.place(where)}: {dotted(where)}: {message}")

    def tell(self, line: str) -> None:
        """Add a problem whose text already names its place. A repeated text is added once."""
        if line not in self.found:
            self.found.append(line)

    def cannot_read(self, where: Where, message: str) -> None:
        """Add a problem and note that the value at the place could not be read.

        ``follows`` is then true there, so that callers can leave out consequences of this problem.
        """
        self.add(where, message)
        self.unread.append(where)

    def follows(self, where: Where) -> bool:
        """Whether the value at the place, or one around or inside it, could not be read."""
        return any(where[: len(place)] == place[: len(where)] for place in self.unread)

    def place(self, where: Where) -> str:
        """Return ``file:line`` of a place or of the closest place around it that has one."""
        for end in range(len(where), -1, -1):
            if where[:end] in self.marks:
                return self.marks[where[:end]]
        return self.source

    def raise_if_any(self) -> None:
        """Raise an error if there are problems.

        Raises:
            SpaceError: lists every problem found so far, one per line.
        """
        if self.found:
            raise SpaceError("\n".join(self.found))


def dotted(where: Where) -> str:
    """Return a place as it is written after ``--set``, for example ``basis.window.eps.low``.

    ``choice`` is left out, and a list index is written ``[0]``.
    """
    text = ""
    for part in where:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part != "choice":
            text += f".{part}" if text else part
    return text or "(whole file)"


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar to a misspelt one; None if none is similar."""
    return next(iter(get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the hint for a misspelt word: the most similar known words, or else all of them."""
    names = sorted(set(known))
    close = get_close_matches(word, names, n=3, cutoff=0.6)
    if close:
        best = _likeness(word, close[0])
        alike = [name for name in close if _likeness(word, name) > best - 0.1]
        return f"did you mean {' or '.join(alike)}?"
    return f"known: {', '.join(names)}"


def _likeness(word: str, name: str) -> float:
    return SequenceMatcher(None, name, word).ratio()
