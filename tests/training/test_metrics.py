from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sk

from pdf_search.records import METRICS
from pdf_search.training.metrics import REGRESSION, evaluate

NAN = np.nan


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def labels(rows: int, tasks: int) -> np.ndarray:
    """0 and 1 with a fifth unknown."""
    rng = np.random.default_rng(8)
    out = rng.integers(0, 2, (rows, tasks)).astype(np.float32)
    out[rng.random(out.shape) < 0.2] = NAN
    return out


def test_mae_and_rmse_equal_sklearn() -> None:
    target, guess = numbers(40, 1), numbers(40, 1, seed=1)
    assert evaluate("mae", target, guess) == pytest.approx(sk.mean_absolute_error(target, guess))
    rmse = sk.root_mean_squared_error(target, guess)
    assert evaluate("rmse", target, guess) == pytest.approx(rmse, rel=1e-6)


def test_several_targets_with_gaps_are_averaged_over_the_tasks() -> None:
    target, guess = numbers(30, 2), numbers(30, 2, seed=1)
    target[:25, 1] = NAN
    each = [
        np.abs(target[:, 0] - guess[:, 0]).mean(),
        np.abs(target[25:, 1] - guess[25:, 1]).mean(),
    ]
    assert evaluate("mae", target, guess) == pytest.approx(np.mean(each), rel=1e-6)
    target[:, 1] = NAN
    assert evaluate("mae", target, guess) == pytest.approx(each[0], rel=1e-6)


def test_accuracy_equals_sklearn() -> None:
    target = np.random.default_rng(2).integers(0, 4, (50, 1)).astype(np.float32)
    guess = numbers(50, 4)
    theirs = sk.accuracy_score(target[:, 0], guess.argmax(1))
    assert evaluate("accuracy", target, guess) == pytest.approx(theirs)
    two = (target > 1).astype(np.float32)
    theirs = sk.accuracy_score(two[:, 0], guess[:, :2].argmax(1))
    assert evaluate("accuracy", two, guess[:, :2]) == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("metric", "theirs"), [("rocauc", sk.roc_auc_score), ("ap", sk.average_precision_score)]
)
def test_ranking_metrics_equal_sklearn_task_by_task(metric: str, theirs: object) -> None:
    target, guess = labels(60, 3), numbers(60, 3)
    known = ~np.isnan(target)
    each = [theirs(target[k, t], guess[k, t]) for t, k in enumerate(known.T)]  # type: ignore[operator]
    assert evaluate(metric, target, guess) == pytest.approx(np.mean(each))


@pytest.mark.parametrize("metric", ["rocauc", "ap"])
def test_a_task_of_one_class_is_left_out_and_without_any_there_is_no_value(metric: str) -> None:
    target, guess = labels(60, 2), numbers(60, 2)
    alone = evaluate(metric, target[:, :1], guess[:, :1])
    target[:, 1] = np.where(np.isnan(target[:, 1]), NAN, 0)
    assert evaluate(metric, target, guess) == pytest.approx(alone)
    assert evaluate(metric, target[:, 1:], guess[:, 1:]) is None


@pytest.mark.parametrize("metric", ["mae", "rmse", "accuracy", "rocauc", "ap"])
def test_without_any_label_every_metric_is_undefined(metric: str) -> None:
    assert evaluate(metric, np.full((3, 1), NAN, np.float32), numbers(3, 2)) is None


@pytest.mark.parametrize("metric", ["mae", "rmse", "accuracy", "rocauc", "ap"])
@pytest.mark.parametrize("bad", [NAN, np.inf])
def test_a_prediction_that_is_not_finite_gives_nan(metric: str, bad: float) -> None:
    guess = numbers(5, 2)
    guess[3, 1] = bad
    target = np.array([[0], [1], [0], [1], [1]], np.float32).repeat(2, 1)
    assert np.isnan(evaluate(metric, target[:, :1] if metric == "accuracy" else target, guess))


def test_a_metric_that_nobody_computes_is_no_other_metric() -> None:
    assert all(name in REGRESSION or name in ("accuracy", "rocauc", "ap") for name in METRICS)
    with pytest.raises(KeyError, match="mape"):
        evaluate("mape", np.ones((3, 1)), np.ones((3, 1)))
