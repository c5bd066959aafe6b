"""What ``own_tables.py`` says of predictions, against values by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from own_tables import _log_loss, _off, _rmse, _share

NAN = np.nan


def test_the_log_loss_is_of_what_is_known() -> None:
    truth, found = np.array([[1.0, 0.0], [NAN, 1.0]]), np.array([[0.8, 0.4], [0.5, 1.0]])
    assert _log_loss(truth, found) == pytest.approx(-(np.log(0.8) + np.log(0.6)) / 3)


def test_the_calibration_error_is_weighted_by_how_many_are_in_a_bin() -> None:
    truth, found = np.array([[1.0], [0.0], [0.0], [NAN]]), np.array([[0.8], [0.84], [0.4], [0.1]])
    # Of the bin from 0.8: one label of 1 beside 1.64; of that from 0.4: none beside 0.4.
    assert _off(truth, found) == pytest.approx((0.64 + 0.4) / 3)
    assert _off(np.array([[1.0]]), np.array([[1.0]])) == 0.0


def test_errors_of_marked_rows_stand_beside_the_others() -> None:
    truth = np.array([[0.0, 1.0], [0.0, NAN], [0.0, 5.0], [9.0, 9.0]])
    found = np.array([[0.0, 4.0], [0.0, 4.0], [0.0, 1.0], [0.0, 0.0]])
    test, marked = np.array([True, True, True, False]), np.array([True, True, False, False])
    assert _rmse(truth, found, test, marked, 1) == (
        "RMSE of the mean, test 3.536 (n 2), marked 3.000 (n 1), not marked 4.000 (n 1)"
    )


def test_shares_of_marked_rows_by_part() -> None:
    part = pd.Series(["train", "train", "valid", "test"])
    marked = np.array([True, False, False, True])
    assert _share(marked, part) == "train 50.0%, valid 0.0%, test 100.0%"
