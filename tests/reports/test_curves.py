from math import nan

import pytest

from pdf_search.records import EpochReport, Phase, ReplicateEpoch, State
from pdf_search.results import Store
from reports import load_sweep
from reports.pages.curves import (
    Curve,
    CurveFigure,
    Panel,
    learning_curves,
    learning_figure,
    readable_range,
    stopping_curves,
)
from reports.pages.figures import curve_figure
from reports.pages.importance import importance
from tests.reports import samples


def test_learning_curves_have_mean_and_spread_of_the_confirmed(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))
    curves = learning_curves(load_sweep(store, "night"))
    assert [(c.label, c.part) for c in curves] == [
        (label, part)
        for label in ("trial 15", "trial 3")
        for part in ("train loss", "valid", "test")
    ]
    assert curves[0].epochs == tuple(range(1, 21))
    assert all(std is not None for std in curves[1].std)


def test_before_a_confirmation_there_is_no_test_curve(store: Store) -> None:
    samples.search(store, samples.sweep())
    curves = learning_curves(load_sweep(store, "night"))
    assert {curve.part for curve in curves} == {"train loss", "valid"}
    assert {curve.std for curve in curves} == {(None,) * 20}


def test_gin_curve_confirmation_has_no_validation_curve_and_percents(store: Store) -> None:
    record = samples.sweep("mutag")
    samples.search(store, record, folds=10)
    samples.confirm(store, record, (15,), (0.88,), 10)
    curves = {curve.part: curve for curve in learning_curves(load_sweep(store, "night"))}
    assert set(curves) == {"train loss", "test"}
    assert max(value or 0 for value in curves["test"].mean) > 50


def test_stopping_curves_end_where_their_trials_ended(store: Store) -> None:
    samples.search(store, samples.sweep())
    curves = stopping_curves(load_sweep(store, "night"))
    assert len(curves) == 15  # the failed trial reported nothing
    by_state = {state: {len(c.epochs) for c in curves if c.state == state} for state in State}
    assert by_state[State.COMPLETE] == {20}
    assert max(by_state[State.PRUNED]) < 20
    assert by_state[State.DIVERGED] == {3}


def test_a_value_that_is_not_finite_leaves_a_gap(store: Store) -> None:
    record = samples.sweep()
    store.create_sweep(record)
    members = [(ReplicateEpoch(1.0, value),) for value in (2.0, nan, 1.0)]
    reports = [EpochReport(i, 0.1, m, 1.0, 1.0) for i, m in enumerate(members, start=1)]
    samples.save(store, record, 0, epochs=reports)
    (curve,) = stopping_curves(load_sweep(store, "night"))
    assert curve.mean == (2.0, None, 1.0)


def test_one_diverging_value_does_not_flatten_the_others() -> None:
    values = tuple(1.0 + 0.01 * i for i in range(60))
    flat = Curve("a", "COMPLETE", "valid", tuple(range(60)), values, (None,) * 60)
    wild = Curve("b", "DIVERGED", "valid", (1,), (1e9,), (None,))
    visible = readable_range([flat, wild])
    assert visible is not None
    assert visible[0] < 1.0
    assert 1.59 < visible[1] < 3
    assert readable_range([]) is None


def curve(label: str, *values: float) -> Curve:
    return Curve(
        label, "COMPLETE", "test", tuple(range(len(values))), values, (None,) * len(values)
    )


def test_a_curve_has_one_colour_in_all_panels_and_one_entry_in_the_legend() -> None:
    a, b = curve("a", 1.0, 2.0), curve("b", 1.0, 3.0)
    figure = CurveFigure("n", "t", "", ((Panel("p", "p", (a, b)), Panel("q", "q", (b,))),))
    lines = [(t.name, t.line.color, t.showlegend) for t in curve_figure(figure).data]
    assert lines == [
        ("a", "#0072b2", True),
        ("b", "#d55e00", True),
        ("b", "#d55e00", False),
    ]


def test_panels_of_a_row_share_their_axis_where_they_show_the_same() -> None:
    loss, other = (Panel("a", "loss", (curve("a", 1.0, high),)) for high in (2.0, 4.0))
    score = Panel("c", "score", (curve("a", 60.0, 90.0),))
    axes = [axis for *_, axis in CurveFigure("n", "t", "", ((loss, other, score),)).places()]
    assert axes[0] == axes[1]
    assert axes[0] is not None
    assert axes[0].high > 4.0
    assert axes[2] is not None
    assert axes[2].low > 50


def test_a_band_is_one_deviation_and_open_where_there_is_none() -> None:
    found = Curve("a", "COMPLETE", "test", (1, 2, 3), (5.0, None, 4.0), (1.0, 1.0, None))
    assert (found.low, found.high) == ((4.0, None, None), (6.0, None, None))


def test_the_learning_figure_has_a_panel_a_part(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))
    figure = learning_figure(load_sweep(store, "night"), "RMSE")
    assert figure is not None
    assert [[panel.title for panel in row] for row in figure.rows] == [
        ["training loss", "validation RMSE", "test RMSE"]
    ]
    assert figure.labels == ["trial 15", "trial 3"]


def test_few_decades_have_their_values_written_out() -> None:
    panel = Panel("t", "l", (curve("a", 0.11, 2.0),))
    axis = curve_figure(CurveFigure("f", "t", "", ((panel,),))).layout.yaxis
    assert (axis.type, list(axis.ticktext)) == ("log", ["0.1", "0.2", "0.5", "1", "2"])
    wide = Panel("t", "l", (curve("a", 0.11, 90.0),))
    axis = curve_figure(CurveFigure("f", "t", "", ((wide,),))).layout.yaxis
    assert list(axis.ticktext) == ["0.1", "1", "10"]


def test_importance_finds_what_matters_and_marks_what_does_not(store: Store) -> None:
    samples.search(store, samples.sweep(trials=60), trials=60)
    report = importance(load_sweep(store, "night"))
    shares = {row.path: row for row in report.rows}
    assert report.rows[0].path == "model.hidden"
    assert shares["model.hidden"].share > 0.8
    assert shares["model.hidden"].meaningful
    assert not shares["training.learning_rate"].meaningful
    assert "basis.eps" not in shares
    assert "complete trials" in report.basis


def test_importance_falls_back_to_an_epoch_that_all_trials_reached(store: Store) -> None:
    samples.search(store, samples.sweep())
    report = importance(load_sweep(store, "night"))
    assert report.basis.startswith("validation value at epoch 4, which all 14 trials reached")
    assert all(row.n == 14 for row in report.rows)


def test_importance_of_too_few_trials_is_left_out_with_the_reason(store: Store) -> None:
    samples.search(store, samples.sweep(trials=6), trials=6)
    report = importance(load_sweep(store, "night"))
    assert report.rows == ()
    assert report.basis == "left out: 6 comparable trials, at least 12 are needed"


@pytest.mark.parametrize("phase", list(Phase))
def test_an_empty_sweep_has_no_curves(store: Store, phase: Phase) -> None:
    record = samples.sweep()
    store.create_sweep(record)
    samples.save(store, record, 0, phase, state=State.NOT_STARTED)
    data = load_sweep(store, "night")
    assert learning_curves(data) == stopping_curves(data) == []
    assert learning_figure(data, "RMSE") is None


def test_the_range_of_an_axis_holds_the_bands() -> None:
    curve = Curve("a", "COMPLETE", "valid", (1, 2, 3), (5.0, 4.0, 4.5), (1.0, 0.5, 0.5))
    low, high = readable_range([curve]) or (0.0, 0.0)
    assert low < 3.5
    assert high > 6.0
