"""A space file's two halves: the head (budget, limits, ...) and the tree of a trial."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field, ValidationError

from pdf_search.config import Frozen, TrialConfig, wrong_together
from pdf_search.data.metrics import metric_problem
from pdf_search.records import METRICS
from pdf_search.space.fields import OWNED_BY_SWEEP, config_paths
from pdf_search.space.parse import is_domain
from pdf_search.space.problems import Problems, Where, did_you_mean

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
    that fits it. ``published``: names in ``search_spaces/paper/``, or points, tried first.
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
    published: tuple[str | dict[str, str | int | float | bool], ...] = Field(
        (), description="names of published settings, or points of the space, tried first"
    )


HEAD_KEYS = tuple(Head.model_fields)
TREE_KEYS = tuple(key for key in TrialConfig.model_fields if key not in OWNED_BY_SWEEP)


@dataclass(frozen=True)
class Definition:
    """A space as plain data, with the place of every key and item that was written down."""

    source: str
    plain: dict[str, Any]
    marks: dict[Where, str] = field(default_factory=dict)

    def problems(self) -> Problems:
        return Problems(self.source, self.marks)

    @property
    def trial(self) -> dict[str, Any]:
        """The tree of a trial, domains included."""
        return {key: value for key, value in self.plain.items() if key in TREE_KEYS}


def parse_head(definition: Definition, problems: Problems) -> Head:
    """The head; what is wrong is reported, and its default stands in."""
    for key in definition.plain:
        if key in OWNED_BY_SWEEP:
            problems.add((key,), f"not part of a space: {OWNED_BY_SWEEP[key]}")
        elif key not in HEAD_KEYS + TREE_KEYS:
            problems.add((key,), f"unknown key; {did_you_mean(key, HEAD_KEYS + TREE_KEYS)}")
    head = _valid_head(definition, problems)
    problem = metric_problem(head.metric, tuple(METRICS)) if head.metric is not None else ""
    if problem:
        problems.add(("metric",), problem)
    return head


def _valid_head(definition: Definition, problems: Problems) -> Head:
    plain = {key: value for key, value in definition.plain.items() if key in HEAD_KEYS}
    try:
        return Head.model_validate(plain)
    except ValidationError as error:
        found: dict[Where, list[Any]] = {}
        for item in error.errors():
            found.setdefault(_head_place(item["loc"], definition), []).append(item)
        for where, items in found.items():
            problems.add(where, _head_message(items))
        refused = {item["loc"][0] for item in error.errors()}
        return Head.model_validate({k: v for k, v in plain.items() if k not in refused})


def _head_place(loc: tuple[str | int, ...], definition: Definition) -> Where:
    where: Where = ()
    for part in loc:
        if (*where, part) in definition.marks or part in HEAD_KEYS:
            where = (*where, part)
    return where or loc


def _head_message(items: list[Any]) -> str:
    if items[0]["type"] == "extra_forbidden":
        known = [*Budget.model_fields, *Confirm.model_fields]
        return f"unknown key; {did_you_mean(str(items[0]['loc'][-1]), known)}"
    return wrong_together(items, Head)


def merge(base: Definition, top: Definition) -> Definition:
    """``top`` laid over ``base``: mappings key by key, domains and all else as a whole."""
    plain = copy.deepcopy(base.plain)
    marks = dict(base.marks)
    _merge(plain, top.plain, (), marks)
    marks.update(top.marks)
    return Definition(top.source, plain, marks)


def _merge(
    below: dict[str, Any], above: Mapping[str, Any], where: Where, marks: dict[Where, str]
) -> None:
    for key, value in above.items():
        old = below.get(key)
        mergeable = isinstance(old, dict) and isinstance(value, Mapping)
        if mergeable and not is_domain(old) and not is_domain(value):
            _merge(below[key], value, (*where, key), marks)
        else:
            forget(marks, (*where, key))
            below[key] = copy.deepcopy(value)


def forget(marks: dict[Where, str], where: Where) -> None:
    """Drop the places of everything at and below ``where``: it is being replaced."""
    for old in [w for w in marks if w[: len(where)] == where]:
        del marks[old]


def retarget(definition: Definition, data: Any) -> None:
    """Put another data set in: metric and protocol are then its own, unless set afterwards."""
    for key in ("metric", "protocol", "folds"):
        definition.plain.pop(key, None)
        forget(definition.marks, (key,))
    definition.plain["data"] = data
    forget(definition.marks, ("data",))


def known_paths() -> tuple[str, ...]:
    """Everything that ``--set`` can name in any space."""
    budget = [f"budget.{name}" for name in Budget.model_fields]
    confirm = [f"budget.confirm.{name}" for name in Confirm.model_fields]
    head = [key for key in HEAD_KEYS if key != "extends"]
    return (*head, *budget, *confirm, *config_paths())
