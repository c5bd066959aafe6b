"""Fills in what a data set decides, such as protocol and folds, where a file leaves it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from pdf_search.config import DataConfig
from pdf_search.data import DatasetInfo, MetricError, begun_metric, lookup
from pdf_search.errors import DataError
from pdf_search.records import Protocol
from pdf_search.space.config_paths import config_paths
from pdf_search.space.files.located import located_errors
from pdf_search.space.files.problems import Problems, Where
from pdf_search.space.settings.merge import OWN_DATA
from pdf_search.space.settings.overrides import Settable, lay_sets, read_sets

DEFAULT_FOLDS = 10


def look_up(data: Any, tell: Callable[[Where, str], None]) -> DatasetInfo | None:
    """Look up the data set of a tree's part ``data``.

    Returns None if there is no such data set or its metric does not fit; ``tell`` gets the reason.
    Other wrong keys are ignored here: they are reported when the tree is checked.
    """
    try:
        return lookup(DataConfig.model_validate(data))
    except ValidationError as error:
        wrong = {item["loc"][0] for item in error.errors() if item["loc"]}
        if isinstance(data, dict) and wrong and not wrong & {"name", *OWN_DATA}:
            return look_up({k: v for k, v in data.items() if k not in wrong}, tell)
    except MetricError as error:
        tell(("data", "metric"), str(error).removeprefix("data.metric: "))
    except DataError as error:
        tell(("data", "name"), str(error))
    return None


def settle_protocol(tree: dict[str, Any], info: DatasetInfo | None) -> None:
    """Set ``protocol`` and ``folds`` in the tree where it does not give them.

    The protocol is ``gin-curve`` if the tree gives folds, else that of the data set. The number of
    folds is ``DEFAULT_FOLDS``, for every protocol but ``split``.
    """
    own = Protocol.SPLIT if info is None else info.protocol
    tree.setdefault("protocol", str(Protocol.GIN_CURVE if tree.get("folds") else own))
    if tree["protocol"] != Protocol.SPLIT and tree.get("folds") is None:
        tree["folds"] = DEFAULT_FOLDS


def settle_metric(tree: dict[str, Any], info: DatasetInfo | None) -> None:
    """Set ``data.metric`` in the tree where it names none and that of ``info`` is not the usual."""
    metric = info and begun_metric(info, tree["data"].get("metric"))
    if info is not None and metric != info.metric:
        tree["data"]["metric"] = metric


def data_config(data: dict[str, Any], sets: Sequence[str]) -> DataConfig:
    """Return the configuration of a data set after every ``--set path=value``.

    ``data`` is a tree's part ``data`` and may be changed.

    Raises:
        SpaceError: lists every problem, with the ``--set`` that it came from.
        DataError: the data set is unknown, or its file cannot be used.
    """
    tree = {"data": data}
    marks: dict[Where, str] = {(): "data set"}
    problems = Problems("--set", marks)
    paths = tuple(path for path in config_paths() if path.partition(".")[0] == "data")
    lay_sets(tree, marks, read_sets(sets, problems), Settable(paths), problems)
    try:
        config = DataConfig.model_validate(tree["data"])
    except ValidationError as error:
        for at, _, message in located_errors(error, tree["data"], DataConfig):
            problems.add(("data", *at), message)
    problems.raise_if_any()
    settle_metric(tree, lookup(config))
    return DataConfig.model_validate(tree["data"])
