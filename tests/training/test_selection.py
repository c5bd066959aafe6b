"""Whose predictions and weights a confirmed trial keeps: by protocol, metric and part."""

from __future__ import annotations

from math import nan

import pytest
import torch

from pdf_search.records import METRICS, EpochReport, Protocol, ReplicateEpoch
from pdf_search.training.selection import Selection

Values = list[list[tuple[float | None, float]]]  # by epoch and replicate: validation, test


def seen(protocol: Protocol, metric: str, values: Values) -> Selection:
    """After these epochs, of which epoch e predicts e and has the weight e."""
    selection = Selection(protocol, METRICS[metric], len(values[0]))
    for epoch, replicates in enumerate(values, start=1):
        members = tuple(ReplicateEpoch(1.0, valid, test) for valid, test in replicates)
        rows = [torch.full((2, 1), float(epoch)) for _ in replicates]
        state = {"w": torch.full((len(replicates), 1, 1), float(epoch))}
        report = EpochReport(epoch, 1e-3, members, 1.0, 1.0)
        selection.see(report, {"valid": rows, "test": rows}, state)
    return selection


def turned(values: Values) -> Values:
    """The same epochs best, for a metric of the other direction."""
    return [[(None if v is None else 1 - v, 1 - t) for v, t in epoch] for epoch in values]


@pytest.mark.parametrize("protocol", [Protocol.SPLIT, Protocol.INNER])
@pytest.mark.parametrize("metric", METRICS)
def test_each_replicate_keeps_its_best_validation_epoch(metric: str, protocol: Protocol) -> None:
    """As an accuracy: best in epochs 2 and 1; the test values say 3 and 3."""
    values: Values = [[(0.5, 0.1), (0.9, 0.1)], [(0.8, 0.2), (nan, 0.2)], [(0.8, 0.9), (0.7, 0.9)]]
    values = values if METRICS[metric].mode == "max" else turned(values)
    selection = seen(protocol, metric, values)
    assert selection.best_epoch == [2, 1]
    assert selection.weights["w"].flatten().tolist() == [2.0, 1.0]
    for part in ("valid", "test"):
        assert [rows[0].item() for rows in selection.selected()[part]] == [2.0, 1.0]


@pytest.mark.parametrize("metric", METRICS)
def test_folds_keep_the_epoch_that_is_best_on_their_mean_curve(metric: str) -> None:
    """Neither fold's own best epoch, nor the last."""
    values: Values = [[(None, 0.9), (None, 0.1)], [(None, 0.6), (None, 0.6)]]
    values.append([(None, 0.2), (None, 0.8)])
    values = values if METRICS[metric].mode == "max" else turned(values)
    kept = seen(Protocol.GIN_CURVE, metric, values).selected()
    assert list(kept) == ["test"]
    assert [rows[0].item() for rows in kept["test"]] == [2.0, 2.0]
