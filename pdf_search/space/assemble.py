"""From a definition to a space, with its published settings as first points."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pdf_search.config import TrialConfig
from pdf_search.data import DatasetInfo
from pdf_search.space.definition import Definition
from pdf_search.space.files.problems import Problems
from pdf_search.space.points import Point, departures, point_of
from pdf_search.space.space import Space
from pdf_search.space.validate import settle


@dataclass(frozen=True)
class PublishedSetting:
    """A published setting by name, to be found in the space."""

    name: str
    config: TrialConfig


def assemble(
    name: str,
    definition: Definition,
    problems: Problems,
    published: tuple[PublishedSetting, ...] = (),
    info: DatasetInfo | None = None,
) -> Space:
    """Check a definition as a whole and build its space.

    ``problems``: found so far. ``info``: see ``settle``.

    Raises:
        SpaceError: every problem found, each with file, line, key and remedy.
    """
    space = Space.of(name, settle(definition, problems, info), problems)
    return _with_published(space, published)


def _with_published(space: Space, settings: tuple[PublishedSetting, ...]) -> Space:
    """The space with the point of each setting in front; where there is none, a note says so."""
    found: list[Point] = []
    notes: list[str] = []
    for setting in settings:
        point = point_of(space.tree, setting.config)
        if point is None:
            notes.append(f"the published setting {setting.name} is not in the space: not tried")
            continue
        found.append(point)
        changed = departures(space.tree, point, setting.config)
        if changed:
            notes.append(f"the published setting {setting.name} runs with {', '.join(changed)}")
    points = (*found, *space.points_to_evaluate)
    definition = {**space.definition, "points_to_evaluate": [dict(point) for point in points]}
    return replace(space, points_to_evaluate=points, notes=tuple(notes), definition=definition)
