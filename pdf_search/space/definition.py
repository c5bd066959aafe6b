"""A space file as plain data: the head (budget, limits, ...) and the tree of a trial."""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from pdf_search.config import Frozen, TrialConfig
from pdf_search.data import metric_problem
from pdf_search.records import METRICS, MOST_COUNT
from pdf_search.space.config_paths import OWNED_BY_SWEEP, config_paths
from pdf_search.space.files.located import located_errors
from pdf_search.space.files.problems import Problems, Where, did_you_mean
from pdf_search.space.settings.merge import forget, lay_over

Part = TypeVar("Part", bound=Frozen)
Count = Annotated[int, Field(ge=1, le=MOST_COUNT, strict=True)]


class Confirm(Frozen):
    """How the best trials are trained again: ``top_k`` of them, each on ``seeds`` fresh seeds."""

    top_k: Count = Field(
        3, description="how many of the best trials are trained again; for none give --top-k 0"
    )
    seeds: Count = Field(4, description="on how many fresh seeds each of the best is trained")


class Budget(Frozen):
    """How much a sweep trains.

    ``epochs``: after how many every trial is cut; None for all epochs of ``training.epochs``.
    """

    trials: Count = Field(30, description="how many configurations the search trains")
    epochs: Count | None = Field(
        None, description="after how many epochs every trial is cut; schedules stay"
    )
    method: str = Field(
        "tpe+asha", description="how configurations are drawn and stopped early: a text"
    )
    replicates: Count = Field(
        1, description="on how many seeds, trained together, the search trains every trial"
    )
    portfolio: bool = Field(
        True,
        strict=True,
        description="whether configurations that did well on other data sets are tried first",
    )
    confirm: Confirm = Field(
        Confirm(), description="how the best are trained again: {top_k: 3, seeds: 4}"
    )


class Head(Frozen):
    """What a space file holds besides the tree of a trial.

    ``extends``: the shipped space that this file changes. ``metric``: None for the data set's own.
    ``points_to_evaluate``: names in ``search_spaces/paper/``, or points of the space, tried first.
    """

    extends: str | None = Field(None, description="name of a shipped space that this one changes")
    description: str = Field("", description="what the space is for")
    metric: str | None = Field(None, description="name of the metric that the search optimises")
    budget: Budget = Field(
        Budget(), description="how much is trained: {trials: 30, epochs: 60, ...}"
    )
    limits: tuple[str, ...] = Field(
        (), description="comparisons that trials must meet: [parameters <= 500_000]"
    )
    points_to_evaluate: tuple[str | dict[str, str | int | float | bool], ...] = Field(
        (), description="names of published settings, or points as {model.hidden: 64}, tried first"
    )


HEAD_KEYS = tuple(Head.model_fields)
POINTS, OLD_POINTS = "points_to_evaluate", "published"
TREE_KEYS = tuple(key for key in TrialConfig.model_fields if key not in OWNED_BY_SWEEP)


@dataclass(frozen=True)
class Definition:
    """A file as plain data.

    ``marks``: the place (``file:line``) of every key and list item that the file holds. ``found``
    and ``unread``: the problems of reading it, as in ``Problems``.
    """

    source: str
    plain: dict[str, Any]
    marks: dict[Where, str] = field(default_factory=dict)
    found: tuple[str, ...] = ()
    unread: tuple[Where, ...] = ()

    def problems(self) -> Problems:
        """Return a collector that starts with the problems found so far; a copy, each call."""
        return Problems(self.source, self.marks, list(self.found), list(self.unread))

    def after(self, problems: Problems) -> Definition:
        """Return the definition with the given problems as those found so far."""
        return replace(self, found=tuple(problems.found), unread=tuple(problems.unread))

    @property
    def trial(self) -> dict[str, Any]:
        """The tree of a trial, in which values may be domains."""
        return {key: value for key, value in self.plain.items() if key in TREE_KEYS}


def with_new_names(definition: Definition) -> Definition:
    """Rename the older key ``published`` to ``points_to_evaluate``.

    If both are given, the definition keeps both and has a problem more.
    """
    plain, problems = dict(definition.plain), definition.problems()
    if OLD_POINTS not in plain:
        return definition
    if POINTS in plain:
        problems.add((OLD_POINTS,), f"the older name of {POINTS}; give one of the two")
        return definition.after(problems)
    plain[POINTS] = plain.pop(OLD_POINTS)
    marks = {
        (POINTS, *at[1:]) if at[:1] == (OLD_POINTS,) else at: mark
        for at, mark in definition.marks.items()
    }
    return replace(definition, plain=plain, marks=marks)


def set_with_new_name(text: str) -> str:
    """Rename the older path ``published`` in ``path=value`` to ``points_to_evaluate``."""
    path, equals, value = text.partition("=")
    return f"{POINTS}{equals}{value}" if path.strip() == OLD_POINTS else text


def parse_head(definition: Definition, problems: Problems) -> Head:
    """Parse the head. What is wrong goes to ``problems``, and a default replaces a wrong value."""
    for key in OWNED_BY_SWEEP:
        if key in definition.plain:
            problems.add((key,), f"not part of a space: {OWNED_BY_SWEEP[key]}")
    others = (*TREE_KEYS, *OWNED_BY_SWEEP)
    head = valid_part(Head, definition.plain, (), problems, others)
    problem = metric_problem(head.metric, tuple(METRICS)) if head.metric is not None else ""
    if problem:
        problems.add(("metric",), problem)
    return head


def valid_part(
    model: type[Part],
    plain: Any,
    at: Where,
    problems: Problems,
    others: Collection[str] = (),
    **stand_ins: str,
) -> Part:
    """Parse the part of a file at ``at`` as a model.

    What is wrong goes to ``problems``. A wrong value is replaced by its default, or by the one in
    ``stand_ins`` if it has none. ``others``: keys in ``plain`` that belong to other parts.
    """
    given = {k: v for k, v in plain.items() if k not in others} if isinstance(plain, dict) else {}
    try:
        return model.model_validate(given if isinstance(plain, dict) else plain)
    except ValidationError as error:
        for where, unknown, message in located_errors(error, plain, model):
            if unknown and len(where) == 1:
                hint = did_you_mean(str(where[0]), (*model.model_fields, *others))
                problems.add((*at, *where), f"unknown key; {hint}")
            else:
                problems.cannot_read((*at, *where), message)
        refused = {item["loc"][0] for item in error.errors() if item["loc"]}
    kept = {key: value for key, value in given.items() if key not in refused}
    return model.model_validate({**stand_ins, **kept})


def merge(base: Definition, top: Definition) -> Definition:
    """Return ``top`` laid over ``base``, as ``lay_over`` does it; both stay as they are."""
    plain, marks = copy.deepcopy(base.plain), dict(base.marks)
    lay_over(plain, top.plain, marks)
    return replace(top, plain=plain, marks=marks | dict(top.marks))


def retarget(definition: Definition, name: Any) -> None:
    """Replace the data set of a definition in place.

    Metric, protocol and folds are removed, so that those of the new data set hold unless they are
    set afterwards.
    """
    for key in ("metric", "protocol", "folds"):
        definition.plain.pop(key, None)
        forget(definition.marks, (key,))
    lay_over(definition.plain, {"data": {"name": name}}, definition.marks)


def known_paths() -> tuple[str, ...]:
    """Return the paths that ``--set`` can name in any space."""
    head = [path for path in config_paths(Head) if path != "extends"]
    return (*head, *config_paths())
