"""From a definition to a checked space: head, tree, data set, limits, published settings."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from pdf_search.config import DataConfig, TrialConfig
from pdf_search.data.registry import TASK_METRICS, DatasetInfo, lookup
from pdf_search.errors import ConfigError, DataError, SpaceError
from pdf_search.records import METRICS, Protocol
from pdf_search.space.check import check_limits, check_trials
from pdf_search.space.definition import Definition, Head, parse_head
from pdf_search.space.limits import Limit
from pdf_search.space.parse import parse_tree
from pdf_search.space.problems import Problems
from pdf_search.space.published import Point, departures, point_of
from pdf_search.space.space import Defaults, Space
from pdf_search.space.tree import Node

DEFAULT_FOLDS = 10


@dataclass(frozen=True)
class PublishedSetting:
    """A published setting by name, to be found in the space."""

    name: str
    config: TrialConfig


def assemble(
    name: str, definition: Definition, published: tuple[PublishedSetting, ...] = ()
) -> Space:
    """Check a definition as a whole and build its space.

    Raises:
        SpaceError: every problem found, each with file, line, key and remedy.
    """
    problems = definition.problems()
    head = parse_head(definition, problems)
    definition = _settle(definition, head, problems)
    head = head.model_copy(update={"metric": definition.plain.get("metric")})
    tree, example = _tree(definition, head, problems)
    assert example is not None
    space = _build(name, definition, head, tree, example)
    space = _with_published(space, published)
    _check_points(space, problems)
    problems.raise_if_any()
    return space


def space_from_dict(data: Mapping[str, Any]) -> Space:
    """The space that ``Space.as_dict`` wrote down. No file is read and no data set looked up.

    Raises:
        SpaceError: not the data of a space.
    """
    try:
        name, source = str(data["name"]), str(data["source"])
        definition = Definition(source, copy.deepcopy(dict(data["definition"])))
        notes = tuple(str(note) for note in data["notes"])
    except (KeyError, TypeError, ValueError):
        raise SpaceError("the recorded space is damaged: start a new sweep") from None
    problems = definition.problems()
    head = parse_head(definition, problems)
    tree, example = _tree(definition, head, problems)
    assert example is not None
    space = _build(name, definition, head, tree, example)
    _check_points(space, problems)
    problems.raise_if_any()
    return replace(space, notes=notes)


def _tree(
    definition: Definition, head: Head, problems: Problems
) -> tuple[Node, TrialConfig | None]:
    tree = parse_tree(definition.trial, problems)
    problems.raise_if_any()  # a domain that cannot be read would only cause further errors
    example = check_trials(tree, problems)
    check_limits(head.limits, example, problems)
    if example is not None:
        _check_budget(head, example, problems)
    problems.raise_if_any()
    return tree, example


def _check_budget(head: Head, example: TrialConfig, problems: Problems) -> None:
    epochs = head.budget.epochs
    if epochs is not None and epochs > example.training.epochs:
        problems.add(
            ("budget", "epochs"),
            f"{epochs} is more than training.epochs = {example.training.epochs}, which the "
            "schedules are made for; raise that, or lower the budget",
        )


def _settle(definition: Definition, head: Head, problems: Problems) -> Definition:
    """Writes down what the data set decides: metric, protocol and folds."""
    plain = copy.deepcopy(definition.plain)
    try:
        data = DataConfig.model_validate(plain["data"])
        info = lookup(data)
    except (KeyError, ValidationError):
        return definition  # reported, with its place, when the tree is checked
    except DataError as error:
        problems.add(("data", "name"), str(error))
        return definition
    plain["metric"] = head.metric or info.metric
    if plain["metric"] != info.metric:
        _check_metric(plain["metric"], data, info, problems)
        plain["data"]["metric"] = plain["metric"]
    if "protocol" not in plain:
        plain["protocol"] = str(Protocol.GIN_CURVE if plain.get("folds") else info.protocol)
    if plain["protocol"] != Protocol.SPLIT:
        plain.setdefault("folds", DEFAULT_FOLDS)
    return replace(definition, plain=plain)


def _check_metric(metric: str, data: DataConfig, info: DatasetInfo, problems: Problems) -> None:
    fitting = TASK_METRICS[info.task]
    if metric in METRICS and metric not in fitting:
        problems.add(
            ("metric",),
            f"{metric} does not measure {info.task} ({info.title}); fitting: {', '.join(fitting)}",
        )
    if data.metric is not None:
        problems.add(("metric",), f"data.metric says {data.metric}; give one of the two")


def _build(
    name: str, definition: Definition, head: Head, tree: Node, example: TrialConfig
) -> Space:
    defaults = Defaults(
        trials=head.budget.trials,
        epochs=head.budget.epochs or example.training.epochs,
        method=head.budget.method,
        confirm_top_k=head.budget.confirm.top_k,
        confirm_seeds=head.budget.confirm.seeds,
        metric=head.metric or "",
        protocol=example.protocol,
        folds=example.folds,
    )
    return Space(
        name=name,
        source=definition.source,
        description=head.description,
        defaults=defaults,
        limits=tuple(Limit.parse(text) for text in head.limits),
        tree=tree,
        published=tuple(point for point in head.published if isinstance(point, dict)),
        definition={key: value for key, value in definition.plain.items() if key != "extends"},
    )


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
    published = (*found, *space.published)
    definition = {**space.definition, "published": [dict(point) for point in published]}
    return replace(space, published=published, notes=tuple(notes), definition=definition)


def _check_points(space: Space, problems: Problems) -> None:
    for point in space.published:
        try:
            space.config(point)
        except ConfigError as error:
            problems.add(("published",), str(error))
