"""The metrics that fit each task, and messages for metric names that do not fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from pdf_search.errors import DataError
from pdf_search.records import METRICS, Task

TASK_METRICS: dict[Task, tuple[str, ...]] = {
    Task.REGRESSION: ("mae", "rmse"),
    Task.MULTICLASS: ("accuracy",),
    Task.MULTILABEL: ("rocauc", "ap"),
}
"""The metrics that fit a task; the first is that of a recorded trial that names none."""
OWN_METRICS: dict[Task, str] = {
    Task.REGRESSION: "rmse",
    Task.MULTICLASS: "accuracy",
    Task.MULTILABEL: "rocauc",  # does not depend on how many labels are 1
}
"""The metric of what is begun on data of one's own, unless it names another."""
OTHER_NAMES = {
    "l1": "mae",
    "mse": "rmse",
    "acc": "accuracy",
    "auc": "rocauc",
    "auroc": "rocauc",
    "auprc": "ap",
    "averageprecision": "ap",
}
TEST = ("test", "tst")
VALIDATION = ("valid", "validation", "val", "dev")


class MetricError(DataError):
    """A ``data.metric`` that does not fit the data set."""


def metric_problem(name: str, fitting: Sequence[str], what: str = "") -> str:
    """Say why a search cannot optimise ``name``, and what to write instead; "" if it can.

    ``fitting`` are the metrics that it can optimise; ``what`` is the data set's task and title.
    """
    if name in fitting:
        return ""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    meant = _meant(words, fitting)
    remedy = f"write {meant}" if meant else f"write one of {', '.join(fitting)}"
    if any(word in TEST or word.startswith("test") for word in words):
        return (
            f"{name}: the test split is not for search, which never sees it and optimises the "
            f"validation value of a metric; confirm reports test; {remedy}"
        )
    if any(word in VALIDATION for word in words):
        return f"{name}: a search always optimises the validation value of a metric; {remedy}"
    if name in METRICS:
        return f"{name} does not measure {what}; fitting: {', '.join(fitting)}"
    hint = f"did you mean {meant}?" if meant else f"known: {', '.join(fitting)}"
    return f"no metric {name}; {hint}"


def _meant(words: Sequence[str], fitting: Sequence[str]) -> str:
    """The metric that is probably meant by the words of a name; "" if there is none."""
    parts = [word for word in words if word not in (*TEST, *VALIDATION)]
    for word in ("".join(parts), *parts):
        known = OTHER_NAMES.get(word, word)
        close = get_close_matches(known, fitting, n=1)
        if close:
            return close[0]
    return ""
