"""Checks a definition as a whole: head, tree, data set, budget and limits."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

from pydantic import ValidationError

from pdf_search.config import DataConfig, TrialConfig, newest
from pdf_search.data.metrics import TASK_METRICS, MetricError, metric_problem
from pdf_search.data.registry import DatasetInfo, lookup
from pdf_search.errors import DataError
from pdf_search.records import METRICS, Protocol
from pdf_search.space.check import check_limits, check_trials
from pdf_search.space.definition import Definition, Head, parse_head
from pdf_search.space.parse import parse_tree
from pdf_search.space.problems import Problems
from pdf_search.space.tree import Node

DEFAULT_FOLDS = 10


@dataclass(frozen=True)
class Checked:
    """A definition in which no problem was found. ``example``: the trial of all first values."""

    definition: Definition
    head: Head
    tree: Node
    example: TrialConfig


def settle(
    definition: Definition, problems: Problems, info: DatasetInfo | None = None
) -> Definition:
    """Writes down what the data set decides, metric, protocol and folds, and the versions.

    ``info``: known of a data set whose file need not be there.
    """
    plain = copy.deepcopy(definition.plain)
    try:
        data = DataConfig.model_validate(plain["data"])
        info = info or lookup(data)
    except (KeyError, ValidationError):
        return definition  # reported, with its place, when the tree is checked
    except MetricError as error:
        problems.add(("data", "metric"), str(error).removeprefix("data.metric: "))
        return definition
    except DataError as error:
        problems.add(("data", "name"), str(error))
        return definition
    if not isinstance(plain.get("metric"), str | None):
        return definition  # likewise
    plain["data"] = newest(plain["data"])
    plain["metric"] = plain.get("metric") or info.metric
    if plain["metric"] != info.metric:
        _check_metric(plain["metric"], data, info, problems)
        plain["data"]["metric"] = plain["metric"]
    if "protocol" not in plain:
        plain["protocol"] = str(Protocol.GIN_CURVE if plain.get("folds") else info.protocol)
    if plain["protocol"] != Protocol.SPLIT:
        plain.setdefault("folds", DEFAULT_FOLDS)
    return replace(definition, plain=plain)


def _check_metric(metric: str, data: DataConfig, info: DatasetInfo, problems: Problems) -> None:
    what = f"{info.task} ({info.title})"
    problem = metric_problem(metric, TASK_METRICS[info.task], what)
    if problem and metric in METRICS:  # an unknown one is reported with the head
        problems.add(("metric",), problem)
    if data.metric is not None:
        problems.add(("metric",), f"data.metric says {data.metric}; give one of the two")


def check_definition(definition: Definition, problems: Problems) -> Checked:
    """Raises:
    SpaceError: every problem found, also those already in ``problems``.
    """
    head = parse_head(definition, problems)
    before = len(problems.found)
    tree = parse_tree(definition.trial, problems)
    if len(problems.found) > before:
        problems.raise_if_any()  # a domain that cannot be read would only cause further errors
    example = check_trials(tree, problems)
    check_limits(head.limits, example, problems)
    if example is not None:
        _check_budget(head, example, problems)
    problems.raise_if_any()
    assert example is not None
    return Checked(definition, head, tree, example)


def _check_budget(head: Head, example: TrialConfig, problems: Problems) -> None:
    epochs = head.budget.epochs
    if epochs is not None and epochs > example.training.epochs:
        problems.add(
            ("budget", "epochs"),
            f"{epochs} is more than training.epochs = {example.training.epochs}, which the "
            "schedules are made for; raise that, or lower the budget",
        )
