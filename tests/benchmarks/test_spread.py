"""Standard errors and differences as the result files give them, against values by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from common import standard_error
from real_searches import summary
from searched_vs_paper import EPOCHS, HIDDEN, difference, papers_own

from pdf_search.space import paper_trial


def test_a_standard_error_is_of_the_values_that_are_there() -> None:
    assert standard_error([1.0, 2.0, 3.0, 4.0]) == pytest.approx((5 / 3) ** 0.5 / 2)
    columns = standard_error([[1.0, np.nan], [3.0, 2.0], [5.0, 4.0]])
    assert columns == pytest.approx([2 / 3**0.5, 2**0.5 / 2**0.5])


def test_a_difference_is_paired_by_fold() -> None:
    paper = pd.Series([80.0, 90.0, 85.0], index=[0, 1, 2])
    found = pd.Series([88.0, 84.0, 88.0], index=[2, 0, 1])
    assert difference("test", paper, found) == {
        "test: paper's": 85.0,
        "test: searched": pytest.approx(260 / 3),
        "test: difference": pytest.approx(5 / 3),  # of 4, -2 and 3
        "test: standard error": pytest.approx((31 / 3) ** 0.5 / 3**0.5),
    }


def test_the_papers_setting_is_cut_in_proportion() -> None:
    whole, cut = paper_trial("mutag"), papers_own("mutag")
    share = EPOCHS / whole["training"]["epochs"]
    assert cut.training.schedule.model_dump()["step"] == round(
        whole["training"]["schedule"]["step"] * share
    )
    assert (cut.epochs, cut.model.hidden, len({r.fold for r in cut.replicates})) == (
        EPOCHS,
        HIDDEN,
        10,
    )


def test_real_searches_are_summed_up_over_sampler_seeds() -> None:
    common = {"set": "mutag", "method": "default", "valid": 9.0, "seconds": 2.0}
    rows = [
        common | {"seed": 0, "epochs": 600, "fresh valid": 0.8, "fresh test": 0.7},
        common | {"seed": 1, "epochs": 640, "fresh valid": 0.9, "fresh test": 0.8},
    ]
    (found,) = summary(rows)
    assert found == {
        "set": "mutag",
        "method": "default",
        "sampler seeds": 2,
        "epochs": 620.0,
        "seconds": 2.0,
        "worth": pytest.approx(0.85),
        "standard error": pytest.approx(0.05),
        "test": pytest.approx(0.75),
    }
