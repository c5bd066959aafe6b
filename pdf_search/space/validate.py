"""Checks a definition before any trial: its parts, every option, and both ends of each range."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pdf_search.config import TrainingConfig, TrialConfig, newest
from pdf_search.data import TASK_METRICS, DatasetInfo, begun_metric, metric_problem
from pdf_search.records import METRICS
from pdf_search.space.config_paths import keys_below
from pdf_search.space.data_set import look_up, settle_protocol
from pdf_search.space.definition import Definition, Head, parse_head
from pdf_search.space.domains import FloatRange, IntRange
from pdf_search.space.files.located import Tried, try_trial
from pdf_search.space.files.problems import Problems, Where, did_you_mean
from pdf_search.space.limits import COMPUTED, Limit
from pdf_search.space.parse import parse_tree
from pdf_search.space.tree import Choose, Node, ParameterNode, build, probes


@dataclass(frozen=True)
class Checked:
    """The parts of a definition that were checked.

    ``example``: the trial in which every choice has its first option and every range its low end.
    """

    definition: Definition
    head: Head
    tree: Node
    example: TrialConfig
    limits: tuple[Limit, ...]


def settle(
    definition: Definition, problems: Problems, info: DatasetInfo | None = None
) -> Definition:
    """Fill in what the definition leaves to the data set: metric, protocol, folds and versions.

    ``info``: what is known of the data set, which is then not looked up. Problems with the data set
    or the metric go to ``problems``.
    """
    plain = copy.deepcopy(definition.plain)
    data = plain.get("data")
    info = look_up(data, problems.add) if info is None else info
    if info is not None and isinstance(data, dict) and isinstance(plain.get("metric"), str | None):
        plain["data"] = newest(data)
        plain["metric"] = plain.get("metric") or begun_metric(info, data.get("metric"))
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
    """Check every part of a definition. What is wrong goes to ``problems``.

    Returns None if the first trial is wrong, so that no space can be built.
    """
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
    """Return the epochs that a part of a definition gives; None if they are no whole number."""
    epochs = part.get("epochs", default) if isinstance(part, dict) else default
    return epochs if isinstance(epochs, int) else None


def check_trials(tree: Node, problems: Problems) -> Tried:
    """Validate one trial for each option of a choice and each end of a range; return the first.

    All other parameters of a trial have their first values.
    """
    first, *others = probes(tree)
    example = _check_trial(tree, first, problems)
    for choose in others:
        _check_trial(tree, choose, problems)
    return example


def _check_trial(tree: Node, choose: Choose, problems: Problems) -> Tried:
    places: dict[Where, Node] = {}
    tried = try_trial(build(tree, choose, places.__setitem__))
    for at, unknown, message in tried.wrong:
        # For an unknown key, the place is the key itself, not each of its options.
        where = (*_written_at(at[:-1], places), at[-1]) if unknown else _written_at(at, places)
        if not problems.follows(where):
            problems.add(where, message)
    _check_kinds(tried, places, problems)
    return tried


def _written_at(at: Where, places: Mapping[Where, Node]) -> Where:
    for end in range(len(at), -1, -1):
        if at[:end] in places:
            return (*places[at[:end]].where, *at[end:])
    return at


def _check_kinds(tried: Tried, places: Mapping[Where, Node], problems: Problems) -> None:
    """Report a range of whole numbers for a real setting, and the reverse."""
    for at, node in places.items():
        if not isinstance(node, ParameterNode) or node.options or not tried.read(at):
            continue
        value: Any = tried.config
        for part in at:
            value = value.get(part) if isinstance(value, dict) else getattr(value, str(part), None)
        domain = node.parameter.domain
        if isinstance(domain, IntRange) and isinstance(value, float):
            problems.add(node.where, REAL_WANTED)
        if isinstance(domain, FloatRange) and isinstance(value, int):
            problems.add(node.where, "takes whole numbers; add integer: true to its range")


REAL_WANTED = (
    "takes real numbers, and the range is written in whole ones; "
    "write range: [0.0, 1.0] with decimal points, or list the values: choice"
)


def check_limits(texts: Iterable[str], example: Tried, problems: Problems) -> tuple[Limit, ...]:
    """Parse the limits and check that their names exist and that their values can be compared.

    What is wrong goes to ``problems``. Returns the limits that could be parsed.
    """
    known = [*COMPUTED, *_settings()]
    found = []
    for index, text in enumerate(texts):
        place: Where = ("limits", index)
        try:
            limit = Limit.parse(text)
        except ValueError as error:
            problems.add(place, f"{text!r}: {error}")
            continue
        found.append(limit)
        for name in limit.names:
            if name not in known:
                problems.add(place, f"{text!r}: no name {name}; {did_you_mean(name, known)}")
        read = all(example.read(tuple(name.split("."))) for name in limit.names)
        if example.config and read and set(limit.names) <= set(known):
            _check_comparable(limit, example.config, place, problems)
    return tuple(found)


def _settings() -> list[str]:
    return [
        f"{part}.{key}" if part else key
        for part in ("model", "training", "basis", "training.schedule", "basis.eps", "basis.k")
        for key in keys_below(part)
    ]


def _check_comparable(limit: Limit, example: TrialConfig, place: Where, problems: Problems) -> None:
    try:
        limit.violation(limit.values(example, parameters=1))
    except TypeError as error:
        problems.add(place, f"{limit.text!r}: cannot be compared: {error}")
