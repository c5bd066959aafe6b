"""What the data set of a tree decides where the tree does not say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from pdf_search.config import DataConfig
from pdf_search.data import DatasetInfo, MetricError, lookup
from pdf_search.errors import DataError
from pdf_search.records import Protocol
from pdf_search.space.config_paths import config_paths
from pdf_search.space.files.located import located_errors
from pdf_search.space.files.problems import Problems, Where
from pdf_search.space.settings.merge import OWN_DATA
from pdf_search.space.settings.overrides import Settable, lay_sets, read_sets

DEFAULT_FOLDS = 10


def look_up(data: Any, tell: Callable[[Where, str], None]) -> DatasetInfo | None:
    """The data set of a tree's part ``data``; None, and why, if there is none.

    A key that is wrong is not told: it is when the tree is checked.
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
    """Writes down protocol and folds, those of the data set unless the tree says otherwise."""
    own = Protocol.SPLIT if info is None else info.protocol
    tree.setdefault("protocol", str(Protocol.GIN_CURVE if tree.get("folds") else own))
    if tree["protocol"] != Protocol.SPLIT and tree.get("folds") is None:
        tree["folds"] = DEFAULT_FOLDS


def data_config(data: dict[str, Any], sets: Sequence[str]) -> DataConfig:
    """The data set of a part ``data``, after every ``path=value``.

    Raises:
        SpaceError: every problem, with the ``--set`` that it is in.
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
    return config
