"""Checks a definition as a whole: head, tree, data set, budget and limits."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

from pdf_search.config import TrainingConfig, TrialConfig, newest
from pdf_search.data import TASK_METRICS, DatasetInfo, metric_problem
from pdf_search.records import METRICS
from pdf_search.space.check import check_limits, check_trials
from pdf_search.space.data_set import look_up, settle_protocol
from pdf_search.space.definition import Definition, Head, parse_head
from pdf_search.space.files.problems import Problems
from pdf_search.space.limits import Limit
from pdf_search.space.parse import parse_tree
from pdf_search.space.tree import Node


@dataclass(frozen=True)
class Checked:
    """A definition whose parts go together. ``example``: the trial of all first values."""

    definition: Definition
    head: Head
    tree: Node
    example: TrialConfig
    limits: tuple[Limit, ...]


def settle(
    definition: Definition, problems: Problems, info: DatasetInfo | None = None
) -> Definition:
    """Writes down what the data set decides, metric, protocol and folds, and the versions.

    ``info``: known of a data set whose file need not be there.
    """
    plain = copy.deepcopy(definition.plain)
    data = plain.get("data")
    info = look_up(data, problems.add) if info is None else info
    if info is not None and isinstance(data, dict) and isinstance(plain.get("metric"), str | None):
        plain["data"] = newest(data)
        plain["metric"] = plain.get("metric") or info.metric
        if plain["metric"] != info.metric:
            _check_metric(plain["metric"], data.get("metric"), info, problems)
            plain["data"]["metric"] = plain["metric"]
    settle_protocol(plain, info)
    return replace(definition, plain=plain)


def _check_metric(metric: str, data_metric: Any, info: DatasetInfo, problems: Problems) -> None:
    what = f"{info.task} ({info.title})"
    problem = metric_problem(metric, TASK_METRICS[info.task], what)
    if problem and metric in METRICS:  # an unknown one is reported with the head
        problems.add(("metric",), problem)
    if data_metric is not None:
        problems.add(("metric",), f"data.metric says {data_metric}; give one of the two")


def check_definition(definition: Definition, problems: Problems) -> Checked | None:
    """What was found, with every problem among ``problems``; None where no trial can be made."""
    head = parse_head(definition, problems)
    tree = parse_tree(definition.trial, problems)
    example = check_trials(tree, problems)
    limits = check_limits(head.limits, example, problems)
    _check_budget(definition, problems)
    if example.config is None or example.wrong:
        return None
    return Checked(definition, head, tree, example.config, limits)


def _check_budget(definition: Definition, problems: Problems) -> None:
    epochs = _epochs(definition.plain.get("budget"))
    default = TrainingConfig.model_fields["epochs"].default
    most = _epochs(definition.plain.get("training"), default)
    if epochs is not None and most is not None and epochs > most:
        problems.add(
            ("budget", "epochs"),
            f"{epochs} is more than training.epochs = {most}, which the "
            "schedules are made for; raise that, or lower the budget",
        )


def _epochs(part: Any, default: int | None = None) -> int | None:
    """The epochs that a part of a definition gives, if that is what they are."""
    epochs = part.get("epochs", default) if isinstance(part, dict) else default
    return epochs if isinstance(epochs, int) else None
