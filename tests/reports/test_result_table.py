import csv
import io
from dataclasses import replace
from statistics import fmean, pstdev

import pandas
import pytest

from pdf_search.records import Phase, Protocol, State
from pdf_search.results import Store
from reports import (
    Grid,
    leaderboard_rows,
    load_sweep,
    result_grid,
    search_findings,
    show_sweep,
    show_trial,
)
from reports.grid.grid_texts import grid_csv, grid_markdown
from tests.reports import samples
from tests.reports.samples import rows


def confirmed(store: Store, dataset: str, goals: tuple[float, ...], runs: int = 4) -> Grid:
    record = samples.sweep(dataset)
    samples.search(store, record, folds=runs if dataset == "mutag" else 1)
    samples.confirm(store, record, (15, 3, 0)[: len(goals)], goals, runs)
    return result_grid(load_sweep(store, "night"))


def test_mean_spread_and_n_are_of_the_test_values_at_the_best_validation_epochs(
    store: Store,
) -> None:
    table = confirmed(store, "freesolv", (1.1, 1.2))
    epochs = store.epochs("night", Phase.CONFIRM, 0)
    tests = []
    for index in range(4):
        best = min((report.replicates[index] for report in epochs), key=lambda r: r.valid or 9.0)
        tests.append(best.test or 9.0)
    first = rows(table)[0]
    assert (first.value, first.spread, first.n) == (
        pytest.approx(fmean(tests)),
        pytest.approx(pstdev(tests)),
        4,
    )
    assert first.split == "test"
    assert first.protocol == "split"
    assert first.text == f"{first.value:.3f} ± {first.spread:.3f}"


def test_the_baseline_predictor_has_a_row_without_mark_and_without_invented_spread(
    store: Store,
) -> None:
    row = rows(confirmed(store, "freesolv", (1.1,)))[1]
    assert (row.method, row.kind, row.text, row.mark) == ("mean predictor", "baseline", "3.350", "")
    data = load_sweep(store, "night")
    assert (row.spread, leaderboard_rows(data)[-1].spread) == (None, None)
    assert "± 0.000" not in show_sweep(data)
    assert "test RMSE (kcal/mol)  3.350 (n = 4)" in show_trial(data, data.confirm[-1])


def test_mutag_stands_beside_the_papers_row(store: Store) -> None:
    table = confirmed(store, "mutag", (0.88, 0.87), runs=10)
    named = {row.method: row for row in rows(table)}
    ours = named["PDF, ours (trial 15)"]
    assert (ours.n, ours.protocol, ours.kind) == (10, "gin-curve", "ours")
    assert ours.spread is not None
    assert named["PDF"].text == "89.91 ± 4.35"
    assert named["PDF"].mark == "best"
    assert named["majority class"].kind == "baseline"
    assert named["PDF"].source == "PDF paper, Table 4"
    notes = " ".join(table.notes)
    assert "onfiguration chosen on all folds" in notes
    assert "population standard deviation (ddof 0) over n folds" in notes


def test_only_comparable_rows_are_marked(store: Store) -> None:
    named = {r.method: r for r in rows(confirmed(store, "mutag", (0.88, 0.87), runs=10))}
    assert named["FGSD"].value == 92.12
    assert named["FGSD"].protocol == "as quoted"
    assert named["FGSD"].mark == ""
    marked = {method: row.mark for method, row in named.items() if row.mark}
    assert sorted(marked.values()) == ["best", "second"]
    assert all(named[method].protocol == "gin-curve" for method in marked)


def test_lower_is_better_for_an_error(store: Store) -> None:
    named = {r.method: r for r in rows(confirmed(store, "zinc", (0.02, 1.0)))}
    values = [r.value for r in named.values() if r.value is not None and r.kind != "baseline"]
    best = next(row for row in named.values() if row.mark == "best")
    assert best.value == min(values)


def test_a_fraction_of_the_training_part_is_not_compared_with_published_rows(store: Store) -> None:
    record = samples.sweep("zinc")
    samples.search(store, record)
    config = {"data": {"name": "zinc", "train_fraction": 0.05}, "training": {"epochs": 20}}
    samples.confirm(store, record, (15, 3), (0.01, 0.02), config=config)
    table = result_grid(load_sweep(store, "night"))
    assert rows(table)[0].note == "trained on 0.05 of the training part"
    assert {row.kind for row in rows(table) if row.mark} == {"ours"}


def test_search_values_never_pass_for_test_values(store: Store) -> None:
    samples.search(store, samples.sweep("mutag"), folds=10)
    table = result_grid(load_sweep(store, "night"))
    ours = [row for row in rows(table) if row.kind == "ours"]
    assert table.columns[:2] == ("validation accuracy (%)", "n")
    assert {row.split for row in ours} == {"valid"}
    assert not any(row.mark for row in rows(table))
    assert "No configuration is confirmed yet" in table.notes[0]
    text = grid_markdown(table)
    assert "89.91 ± 4.35 (test)" in text
    assert "confirm: not run yet" in text


def test_one_run_prints_without_a_spread(store: Store) -> None:
    row = rows(confirmed(store, "freesolv", (1.1,), runs=1))[0]
    assert (row.n, row.spread) == (1, None)
    assert "±" not in row.text


def test_a_partial_confirmation_is_shown_as_partial_and_not_marked(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))
    running = samples.training(record, 0.3, Phase.CONFIRM, 4, epochs=12)
    samples.save(
        store,
        record,
        7,
        Phase.CONFIRM,
        running,
        state=State.RUNNING,
        origin="confirm of 0",
    )
    table = result_grid(load_sweep(store, "night"))
    row = next(row for row in rows(table) if row.partial)
    assert row.note == "partial: running, 12 of 20 epochs"
    assert list(table.footnotes().items()) == [(row.note, "a")]
    assert row.mark == ""
    assert table.notices == ("confirm: 1 of 3 configurations not whole",)


def test_inner_names_its_protocol(store: Store) -> None:
    record = samples.sweep("mutag", protocol=Protocol.INNER)
    samples.search(store, record, folds=10)
    samples.confirm(store, record, (15,), (0.88,), 10)
    table = result_grid(load_sweep(store, "night"))
    assert rows(table)[0].protocol == "inner"
    assert any(note.startswith("Protocol inner") for note in table.notes)
    assert {row.mark for row in rows(table)} == {""}


def test_csv_reads_back_to_the_same_numbers(store: Store) -> None:
    table = confirmed(store, "zinc", (0.07, 0.08))
    assert grid_csv([table]).splitlines()[0] == (
        "method,kind,split,value,spread,n,valid,valid_spread,protocol,metric,unit,parameters,"
        "source,note,train_fraction,cut,partial,mark"
    )
    read = list(csv.DictReader(io.StringIO(grid_csv([table]))))
    assert [line["method"] for line in read] == [row.method for row in rows(table)]
    assert [float(line["value"]) for line in read] == [row.value for row in rows(table)]
    spreads = [float(line["spread"]) if line["spread"] else None for line in read]
    assert spreads == [row.spread for row in rows(table)]


def test_csv_has_numbers_in_every_column_of_numbers(store: Store) -> None:
    table = confirmed(store, "zinc", (0.07, 0.08))
    read = pandas.read_csv(io.StringIO(grid_csv([table])))
    for column in ("value", "spread", "n", "valid", "valid_spread", "parameters", "train_fraction"):
        assert pandas.api.types.is_numeric_dtype(read[column]), column
    counts = dict(zip(read["method"], read["parameters"], strict=True))
    assert counts["PDF, ours (trial 15)"] in (40_000, 41_000)
    assert counts["GCN"] == 505_000
    plain = next(csv.DictReader(io.StringIO(grid_csv([table]))))
    assert plain["parameters"] == str(rows(table)[0].parameters)
    assert "505k" in grid_markdown(table)


def test_markdown_marks_best_and_second(store: Store) -> None:
    table = confirmed(store, "freesolv", (1.1, 1.2, 1.3))
    marks = {row.mark: row.text for row in rows(table)}
    text = grid_markdown(table)
    assert f"**{marks['best']}**" in text
    assert f"<u>{marks['second']}</u>" in text


def test_columns_stay_aligned_beside_marks(store: Store) -> None:
    lines = grid_markdown(confirmed(store, "freesolv", (1.1, 1.2, 1.3))).splitlines()
    places = {
        tuple(i for i, sign in enumerate(line) if sign == "|")
        for line in lines
        if line.startswith("|")
    }
    assert len(places) == 1


def test_two_configurations_are_best_and_second_whatever_the_baseline_is(store: Store) -> None:
    table = confirmed(store, "freesolv", (5.0, 6.0))  # worse than the mean predictor's 3.35
    assert [(row.kind, row.mark) for row in rows(table)] == [
        ("ours", "best"),
        ("ours", "second"),
        ("baseline", ""),
    ]
    assert any("The baseline predictor takes no place." in note for note in table.notes)


def test_a_row_of_fewer_replicates_is_not_marked(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))
    reports = samples.training(record, 0.1, Phase.CONFIRM, 2)
    samples.save(store, record, 7, Phase.CONFIRM, reports, origin="confirm of 0")
    named = {row.method: row for row in rows(result_grid(load_sweep(store, "night")))}
    few = named["PDF, published setting (trial 0)"]
    assert few.value == min(row.value for row in named.values() if row.value is not None)
    assert (few.n, few.partial, few.mark) == (2, False, "")
    assert sorted(row.mark for row in named.values()) == ["", "", "best", "second"]


def test_with_one_row_to_compare_the_note_says_that_none_is_marked(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    reports = samples.training(record, 0.1, Phase.CONFIRM, 2)
    samples.save(store, record, 7, Phase.CONFIRM, reports, origin="confirm of 0")
    table = result_grid(load_sweep(store, "night"))
    assert {row.mark for row in rows(table)} == {""}
    assert any("fewer than two rows can be compared" in note for note in table.notes)


def test_a_changed_published_setting_is_called_so(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    first = store.trials("night", Phase.SEARCH)[0]
    store.save_trial(replace(first, origin="published, changed"))
    samples.confirm(store, record, (0,), (1.1,))
    row = rows(result_grid(load_sweep(store, "night")))[0]
    assert row.method == "PDF, published setting, changed (trial 0)"


def test_a_run_that_a_budget_cut_short_says_so(store: Store) -> None:
    confirmed(store, "freesolv", (1.1,))
    trial, predictor = store.trials("night", Phase.CONFIRM)
    training = {"epochs": 301}
    config = {**trial.config, "training": training, "stop_epoch": trial.epochs_done}
    for own in (trial, predictor):
        store.save_trial(replace(own, config=config))
    data = load_sweep(store, "night")
    ours, baseline = rows(result_grid(data))[:2]
    assert f"cut after {trial.epochs_done} of 301 epochs" in ours.note
    assert (ours.cut, baseline.cut) == (True, False)
    assert "cut" not in baseline.note
    said = search_findings(data).found[-1]
    assert said.endswith(f"deviation, cut after {trial.epochs_done} of 301 epochs).")


def test_published_rows_are_not_compared_with_runs_that_were_cut_short(store: Store) -> None:
    record = samples.sweep("zinc")
    samples.search(store, record)
    config = {"data": {"name": "zinc"}, "training": {"epochs": 351}, "stop_epoch": 20}
    samples.confirm(store, record, (15, 3), (0.3, 0.4), config=config)
    table = result_grid(load_sweep(store, "night"))
    assert {row.kind for row in rows(table) if row.mark} == {"ours"}
    assert sorted(row.mark for row in rows(table) if row.cut) == ["best", "second"]


def test_what_was_said_of_the_data_stands_under_the_table(store: Store) -> None:
    record = samples.sweep("freesolv")
    record = replace(record, options={**record.options, "data_notes": ["line 7 has no target"]})
    samples.search(store, record)
    assert "Data: line 7 has no target" in grid_markdown(result_grid(load_sweep(store, "night")))
