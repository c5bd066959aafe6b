"""What is wrong with a space file: all problems at once, each with its place and its remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches

from pdf_search.errors import SpaceError

Where = tuple[str | int, ...]
"""Keys and list positions that lead to a place in a file."""


@dataclass
class Problems:
    """Collects problems. ``marks`` tells the ``file:line`` of each place, ``source`` the file.

    ``unread``: the places whose value could not be read.
    """

    source: str
    marks: Mapping[Where, str] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    unread: list[Where] = field(default_factory=list)

    def add(self, where: Where, message: str) -> None:
        self.tell(f"{self.place(where)}: {dotted(where)}: {message}")

    def tell(self, line: str) -> None:
        """A problem that says its place itself."""
        if line not in self.found:
            self.found.append(line)

    def cannot_read(self, where: Where, message: str) -> None:
        """As ``add``; what is found wrong there later only follows from it."""
        self.add(where, message)
        self.unread.append(where)

    def follows(self, where: Where) -> bool:
        """Whether a value at the place, around it or below it could not be read."""
        return any(where[: len(place)] == place[: len(where)] for place in self.unread)

    def place(self, where: Where) -> str:
        """``file:line`` of a place, or of the closest one around it that was written down."""
        for end in range(len(where), -1, -1):
            if where[:end] in self.marks:
                return self.marks[where[:end]]
        return self.source

    def raise_if_any(self) -> None:
        """Raises:
        SpaceError: names every problem found so far, one a line.
        """
        if self.found:
            raise SpaceError("\n".join(self.found))


def dotted(where: Where) -> str:
    """``basis.window.eps.low``: the key as it is written after ``--set``."""
    text = ""
    for part in where:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part != "choice":
            text += f".{part}" if text else part
    return text or "(whole file)"


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like a misspelt one; None if none is."""
    return next(iter(get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The remedy for a misspelt word: close matches, or else everything that is known."""
    names = sorted(set(known))
    close = get_close_matches(word, names, n=3, cutoff=0.6)
    if close:
        best = _likeness(word, close[0])
        alike = [name for name in close if _likeness(word, name) > best - 0.1]
        return f"did you mean {' or '.join(alike)}?"
    return f"known: {', '.join(names)}"


def _likeness(word: str, name: str) -> float:
    return SequenceMatcher(None, name, word).ratio()
