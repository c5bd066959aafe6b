"""Finding what was recorded: by its name below --out, or by the path of its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdf_search.cli.groups import Place
from pdf_search.cli.words import say

if TYPE_CHECKING:
    from pdf_search.sweep import SweepFolder


def recorded_folder(name: str, place: Place) -> SweepFolder:
    """Where a sweep, study or part of one lies. Another name that it was recorded as is told."""
    from pdf_search.sweep import SweepFolder

    folder = SweepFolder.find(place.out, name, place.url)
    if folder.recorded:
        say(f"{folder.called} was recorded as {folder.name}, which is its name below")
    return folder
