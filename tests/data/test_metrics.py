"""The name of a metric as a user writes it: the test split is not for search."""

from __future__ import annotations

import re

import pytest

from pdf_search.config import DataConfig
from pdf_search.data.registry import lookup
from pdf_search.data.targets.metrics import metric_problem
from pdf_search.errors import DataError

REGRESSION = ("mae", "rmse")


@pytest.mark.parametrize("name", ["test/mae", "test_mae", "mae_test", "Test MAE", "testmae"])
def test_a_test_metric_is_refused_as_such(name: str) -> None:
    problem = metric_problem(name, REGRESSION)
    assert problem.startswith(f"{name}: the test split is not for search")
    if name != "testmae":
        assert problem.endswith("write mae")


@pytest.mark.parametrize("name", ["valid/mae", "val_mae", "validation MAE", "mae-val"])
def test_validation_is_what_is_optimised_anyway(name: str) -> None:
    problem = metric_problem(name, REGRESSION)
    assert problem == (
        f"{name}: a search always optimises the validation value of a metric; write mae"
    )


@pytest.mark.parametrize(
    ("name", "fitting", "said"),
    [
        ("mea", REGRESSION, "no metric mea; did you mean mae?"),
        ("MAE", REGRESSION, "no metric MAE; did you mean mae?"),
        ("auc", ("rocauc", "ap"), "did you mean rocauc?"),
        ("roc-auc", ("rocauc", "ap"), "did you mean rocauc?"),
        ("acc", ("accuracy",), "did you mean accuracy?"),
        ("r2", REGRESSION, "no metric r2; known: mae, rmse"),
        ("accuracy", REGRESSION, "accuracy does not measure it; fitting: mae, rmse"),
        ("latest", REGRESSION, "no metric latest; known: mae, rmse"),
        ("mae", REGRESSION, ""),
    ],
)
def test_other_names(name: str, fitting: tuple[str, ...], said: str) -> None:
    problem = metric_problem(name, fitting, "it")
    assert said in problem
    assert bool(problem) is (name not in fitting)


def test_the_metric_of_a_data_set() -> None:
    with pytest.raises(DataError, match=re.escape("data.metric: test/mae: the test split is not")):
        lookup(DataConfig(name="freesolv", metric="test/mae"))
