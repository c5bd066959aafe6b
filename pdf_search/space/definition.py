"""A space file's two halves: the head (budget, limits, ...) and the tree of a trial."""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from pdf_search.config import Frozen, TrialConfig
from pdf_search.data import metric_problem
from pdf_search.records import METRICS
from pdf_search.space.config_paths import OWNED_BY_SWEEP, config_paths
from pdf_search.space.files.located import located_errors
from pdf_search.space.files.problems import Problems, Where, did_you_mean
from pdf_search.space.settings.merge import forget, lay_over

Part = TypeVar("Part", bound=Frozen)
Count = Annotated[int, Field(ge=1, strict=True)]


class Confirm(Frozen):
    """How the winners are trained again: the best ``top_k``, each on ``seeds`` fresh seeds."""

    top_k: Count = Field(
        3, description="how many of the best trials are trained again; for none give --top-k 0"
    )
    seeds: Count = Field(4, description="on how many fresh seeds each of the best is trained")


class Budget(Frozen):
    """``epochs``: of each trial; without it, the configured epochs of training."""

    trials: Count = Field(30, description="how many configurations the search trains")
    epochs: Count | None = Field(
        None, description="after how many epochs every trial is cut; schedules stay"
    )
    method: str = Field(
        "tpe+asha", description="how configurations are drawn and stopped early: a text"
    )
    confirm: Confirm = Field(
        Confirm(), description="how the best are trained again: {top_k: 3, seeds: 4}"
    )


class Head(Frozen):
    """What a space file says besides the tree of a trial.

    ``extends``: a shipped space that this file changes. ``metric``: the data set's own, or another
    that fits it. ``points_to_evaluate``: names in ``search_spaces/paper/``, or points, tried
    first.
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
        (), description="names of published settings, or points of the space, tried first"
    )


HEAD_KEYS = tuple(Head.model_fields)
POINTS, OLD_POINTS = "points_to_evaluate", "published"
TREE_KEYS = tuple(key for key in TrialConfig.model_fields if key not in OWNED_BY_SWEEP)


@dataclass(frozen=True)
class Definition:
    """A file as plain data, with the place of every key and item that was written down.

    ``found`` and ``unread``: what was wrong in it already when it was read, as in ``Problems``.
    """

    source: str
    plain: dict[str, Any]
    marks: dict[Where, str] = field(default_factory=dict)
    found: tuple[str, ...] = ()
    unread: tuple[Where, ...] = ()

    def problems(self) -> Problems:
        return Problems(self.source, self.marks, list(self.found), list(self.unread))

    def after(self, problems: Problems) -> Definition:
        """The definition with these problems found."""
        return replace(self, found=tuple(problems.found), unread=tuple(problems.unread))

    @property
    def trial(self) -> dict[str, Any]:
        """The tree of a trial, domains included."""
        return {key: value for key, value in self.plain.items() if key in TREE_KEYS}


def with_new_names(definition: Definition) -> Definition:
    """The definition of a space in today's words: what ``published`` listed is to be evaluated."""
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
    """``--set`` of the older name, in today's."""
    path, equals, value = text.partition("=")
    return f"{POINTS}{equals}{value}" if path.strip() == OLD_POINTS else text


def parse_head(definition: Definition, problems: Problems) -> Head:
    """The head; what is wrong is reported, and its default stands in."""
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
    """The part of a file at ``at``; what is wrong is reported, and its default stands in.

    ``others``: keys there that belong to other parts. ``stand_ins``: for keys without a default.
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
    """``top`` laid over ``base``."""
    plain, marks = copy.deepcopy(base.plain), dict(base.marks)
    lay_over(plain, top.plain, marks)
    return replace(top, plain=plain, marks=marks | dict(top.marks))


def retarget(definition: Definition, name: Any) -> None:
    """Put another data set in: metric and protocol are then its own, unless set afterwards."""
    for key in ("metric", "protocol", "folds"):
        definition.plain.pop(key, None)
        forget(definition.marks, (key,))
    lay_over(definition.plain, {"data": {"name": name}}, definition.marks)


def known_paths() -> tuple[str, ...]:
    """Everything that ``--set`` can name in any space."""
    head = [path for path in config_paths(Head) if path != "extends"]
    return (*head, *config_paths())
