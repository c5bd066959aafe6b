"""Figures of single trials: parallel coordinates, the (eps, k) tried, predicted against true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdf_search.records import State
from pdf_search.results import Store
from reports import SweepData, load_sweep, search_findings, write_report
from reports.pages.importance import importance
from reports.pages.parallel import MOST_AXES, Parallel, parallel, parallel_figure, parallel_text
from reports.pages.predicted import predicted_figure, read_predicted
from reports.pages.searched_bases import searched_bases, searched_figure, searched_text
from tests.reports import samples


def tried(store: Store, points: list[dict[str, Any]], **changes: Any) -> SweepData:
    """A sweep whose trial i has the values ``points[i]`` and comes to 1 + i."""
    record = samples.sweep(trials=len(points))
    store.create_sweep(record)
    for number, params in enumerate(points):
        own = {key: values[number] for key, values in changes.items()}
        reports = samples.training(record, 1.0 + number, seed=number)
        samples.save(store, record, number, epochs=reports, params=params, **own)
    return load_sweep(store, "night")


def lines(data: SweepData) -> Parallel:
    found = parallel(data, importance(data))
    assert found is not None
    return found


def test_a_value_lies_between_the_ends_of_its_axis_or_below_it(store: Store) -> None:
    points: list[dict[str, Any]] = [
        {"a.rate": 10.0**-i, "a.width": i, "a.sort": "two" if i % 2 else "one", "same": 1}
        for i in range(8)
    ]
    del points[3]["a.sort"]
    found = lines(tried(store, points))
    columns = {column.name: column for column in found.columns}
    assert list(columns) == ["rate", "width", "sort", "validation RMSE (kcal/mol)"]
    order = [entry.trial.number for entry in found.entries]
    assert order == list(range(8))
    assert columns["rate"].places == pytest.approx([1 - i / 7 for i in range(8)])  # by logarithm
    assert columns["width"].places == pytest.approx([i / 7 for i in range(8)])
    assert columns["sort"].places == (0, 1, 0, None, 0, 1, 0, 1)
    assert columns["sort"].ticks == ((0.0, "one"), (1.0, "two"))
    assert "Below an axis: not sampled" in parallel_text(found)
    figure = parallel_figure(found)
    best = next(trace for trace in figure.data if trace.name.startswith("best"))
    assert sum(x == 0 for x in best.x) == 2  # of eight
    assert best.text[0].startswith("trial 0, COMPLETE<br>rate: 1<br>width: 0<br>sort: one")


def test_parameters_beyond_the_axes_are_named(store: Store) -> None:
    points = [{f"p{place}": i * place for place in range(1, 13)} for i in range(4)]
    found = lines(tried(store, points))
    assert len(found.columns) == MOST_AXES + 1
    assert parallel_text(found).endswith("Not shown: p10, p11, p12.")


def test_nothing_varied_is_no_figure(store: Store) -> None:
    data = tried(store, [{"a": 1}, {"a": 1}])
    assert parallel(data, importance(data)) is None


def test_the_map_has_the_trials_with_and_without_each_basis(store: Store) -> None:
    grids = [[[-0.1, 1]], [[-0.1, 1], [-0.2, 2]], [[-0.2, 2]]]
    configs = [{"basis": {"pairs": grid}, "training": {"epochs": 20}} for grid in grids]
    data = tried(store, [{}] * 3, config=configs)
    found = searched_bases(data)
    assert found is not None
    ends = [entry.epochs[-1].valid for entry in data.search]
    assert found.having[-0.1, 1] == pytest.approx(ends[:2])
    assert found.without[-0.1, 1] == pytest.approx(ends[2:])
    (heat,) = searched_figure(found, "RMSE").data
    assert heat.x == ("-0.2", "-0.1")
    assert np.isnan(np.array(heat.z, dtype=float)[0, 0])  # (-0.2, 1) is in no grid
    assert searched_text(found).endswith(" A blank (eps, k) is in no grid.")
    assert heat.reversescale  # a lower error is darker
    assert "of 2 trials with it" in heat.customdata[1][0]
    assert heat.customdata[1][0].endswith(" of the other 1")


def test_one_grid_alone_is_no_map(store: Store) -> None:
    config = {"basis": {"pairs": [[-0.1, 1]]}, "training": {"epochs": 20}}
    assert searched_bases(tried(store, [{}] * 2, config=[config, config])) is None


def confirmed(store: Store, dataset: str, **changes: Any) -> SweepData:
    record = samples.sweep(dataset, **changes)
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    return load_sweep(store, "night")


def table(rows: list[tuple[int, int, int, float, float]], file: Path) -> Path:
    names = ["task", "index", "replicate", "target", "prediction"]
    pd.DataFrame(rows, columns=names).assign(split="test", trial=0).to_parquet(file)
    return file


def test_values_are_means_over_replicates_with_their_residuals(
    store: Store, tmp_path: Path
) -> None:
    rows = [(0, 7, 0, 1.0, 1.5), (0, 7, 1, 1.0, 2.5), (0, 9, 0, 3.0, 2.0), (0, 9, 1, 3.0, 2.0)]
    file = table(rows, tmp_path / "p.parquet")
    other = pd.read_parquet(file).assign(trial=1, prediction=99.0)  # the baseline
    search = pd.read_parquet(file).assign(split="valid", prediction=99.0)
    pd.concat([pd.read_parquet(file), other, search]).to_parquet(file)
    data = confirmed(store, "freesolv")
    found = read_predicted(file, data)
    assert found is not None
    assert (found.called, found.replicates) == ("trial 15", 2)
    text, figure = predicted_figure(found, data)
    assert "Trial 15, the first by the search; mean prediction over 2 replicates" in text
    assert "2 of 2 test graphs drawn" in text
    values, _, residuals = figure.data
    assert list(values.x) == [1.0, 3.0]
    assert list(values.y) == [2.0, 2.0]
    assert list(residuals.y) == [1.0, -1.0]
    assert list(values.customdata[0]) == [7, 1.0, 2.0, 1.0, 0.5]  # the last is the spread


def test_many_targets_and_graphs_are_cut_and_said(store: Store, tmp_path: Path) -> None:
    rows = [(task, graph, 0, 1.0, 1.0) for task in range(5) for graph in range(2100)]
    data = confirmed(store, "freesolv", options={"targets": ["a", "b", "c", "d", "e"]})
    found = read_predicted(table(rows, tmp_path / "p.parquet"), data)
    assert found is not None
    text, figure = predicted_figure(found, data)
    assert "2,000 of 2,100 test graphs drawn. The first 4 of 5 targets." in text
    assert len(figure.data[0].x) == 2000
    assert "a: predicted" in [annotation.text for annotation in figure.layout.annotations]


def test_classes_are_counted_by_their_likeliest(store: Store, tmp_path: Path) -> None:
    likely = {0: (0.9, 0.1), 1: (0.8, 0.2), 2: (0.3, 0.7)}
    truth = {0: 0.0, 1: 1.0, 2: 1.0}
    rows = [(c, g, 0, truth[g], p) for g, pair in likely.items() for c, p in enumerate(pair)]
    classes = ["dull as <i> & long beyond an axis", "dull as <i> & long and active"]
    data = confirmed(store, "mutag", options={"classes": classes})
    found = read_predicted(table(rows, tmp_path / "p.parquet"), data)
    assert found is not None
    text, figure = predicted_figure(found, data)
    assert "2 of 3 graphs" in text
    facts = figure.data[0].customdata
    assert [[facts[t][c][0] for c in (0, 1)] for t in (0, 1)] == [[1, 0], [1, 1]]  # true down
    assert tuple(facts[1][0][1:]) == tuple(  # in full, and no tag for plotly
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        for text in (classes[1], classes[0])
    )
    assert figure.layout.xaxis.ticktext == ("dull as &lt;i&gt; &amp; l…",) * 2
    assert figure.layout.xaxis.tickvals == (0, 1)


def test_labels_have_their_probabilities(store: Store, tmp_path: Path) -> None:
    rows = [(0, 0, 0, 1.0, 0.97), (0, 1, 0, 0.0, 0.01), (0, 2, 0, float("nan"), 0.5)]
    data = confirmed(store, "mutag", metric="rocauc")
    found = read_predicted(table(rows, tmp_path / "p.parquet"), data)
    assert found is not None
    text, figure = predicted_figure(found, data)
    assert "not calibrated" in text
    zero, one = figure.data
    assert (zero.name, one.name) == ("true label 0", "true label 1")
    assert list(np.nonzero(zero.customdata)[0]) == [0]
    assert list(np.nonzero(one.customdata)[0]) == [19]


def test_predictions_that_cannot_be_read_are_said_on_the_page(store: Store, tmp_path: Path) -> None:
    confirmed(store, "freesolv")
    (tmp_path / "p.parquet").write_text("no parquet")
    write_report(store, "night", tmp_path, tmp_path / "p.parquet")
    assert "p.parquet cannot be read" in (tmp_path / "report.html").read_text("utf-8")
    write_report(store, "night", tmp_path, tmp_path / "absent.parquet")
    assert 'id="predicted"' not in (tmp_path / "report.html").read_text("utf-8")


def test_importance_names_what_it_leaves_out_and_why(store: Store, tmp_path: Path) -> None:
    points: list[dict[str, Any]] = [{"wide": i, "fixed": 3} for i in range(14)]
    points[2]["rare"] = 1
    points[3]["rare"] = 2
    data = tried(store, points)
    report = importance(data)
    assert [row.path for row in report.rows] == ["wide"]
    text = (
        "Parameters left out: fixed (the same in all of these trials); "
        "rare (sampled in fewer than 12 of these trials)."
    )
    assert report.left_out_text() == text
    write_report(store, "night", tmp_path)
    assert text in (tmp_path / "report.html").read_text("utf-8")


def test_what_was_searched_is_one_sentence(store: Store) -> None:
    data = tried(store, [{"a": 1, "b": 2}, {"a": 2}])
    pruned = replace(data.search[1].trial, state=State.PRUNED, epochs_done=5)
    store.save_trial(pruned)
    store.drop_epochs_after("night", pruned.phase, pruned.number, 5)
    assert search_findings(load_sweep(store, "night")).searched == (
        "Searched 2 configurations over 2 parameters on freesolv by tpe+asha: 25 of the 40 epochs "
        "of 2 trials in full; early stopping saved 15 (38%)."
    )
