"""Builds a space from its definition, with settings of the paper as the points to try first."""

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
    """A setting of the paper, as shipped in ``search_spaces/paper``, and its name there."""

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

    ``problems``: those found while reading the file. ``published``: settings to try first, before
    the points that the definition lists. ``info``: see ``settle``.

    Raises:
        SpaceError: lists every problem, each with file, line, key and remedy.
    """
    space = Space.of(name, settle(definition, problems, info), problems)
    return _with_published(space, published)


def _with_published(space: Space, settings: tuple[PublishedSetting, ...]) -> Space:
    """Put the point of each setting before the listed points.

    A note is added where a setting has no point in the space, or where its point changes it.
    """
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
