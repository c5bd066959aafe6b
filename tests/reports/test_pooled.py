"""A configuration that was confirmed several times has one row over all its replicates."""

from dataclasses import replace
from statistics import fmean, pstdev

import pytest

from pdf_search.config import parse_trial
from pdf_search.records import Phase, Replicate, State, SweepRecord
from pdf_search.results import Store
from reports import leaderboard_rows, load_sweep, result_grid
from reports.pages.curves import learning_curves
from tests.reports import samples
from tests.reports.samples import rows


def confirm_again(
    store: Store, record: SweepRecord, number: int, seeds: tuple[int, ...], **changes: object
) -> None:
    """Trial 15 once more, with values that no other run has."""
    reports = samples.training(record, 2.0, Phase.CONFIRM, len(seeds), samples.EPOCHS, 900 + number)
    members = tuple(Replicate(seed) for seed in seeds)
    first = store.trials("night", Phase.CONFIRM)[0].config
    config = {**first, "seeds": list(seeds), "device": "cuda"}
    kept = {"origin": "confirm of 15", "replicates": members, "config": config, **changes}
    samples.save(store, record, number, Phase.CONFIRM, reports, **kept)


def begin(store: Store, dataset: str = "freesolv") -> SweepRecord:
    record = samples.sweep(dataset)
    samples.search(store, record, folds=4 if dataset == "mutag" else 1)
    samples.confirm(store, record, (15, 3), (1.1, 1.2) if dataset == "freesolv" else (0.8, 0.8))
    return record


def values(store: Store, number: int) -> list[float]:
    epochs = store.epochs("night", Phase.CONFIRM, number)
    best = [
        min((e.replicates[i] for e in epochs), key=lambda r: r.valid or 99.0)
        for i in range(len(epochs[0].replicates))
    ]
    return [replicate.test or 99.0 for replicate in best]


def test_two_runs_are_one_row_over_the_union_of_their_seeds(store: Store) -> None:
    record = begin(store)
    confirm_again(store, record, 5, (103, 104, 105))  # 103 is known from the first run
    data = load_sweep(store, "night")
    table = result_grid(data)
    union = [*values(store, 0), *values(store, 5)[1:]]
    row = rows(table)[0]
    assert [r.method for r in rows(table) if r.kind == "ours"] == [
        "PDF, ours (trial 15)",
        "PDF, ours (trial 3)",
    ]
    assert (row.n, row.partial, row.note) == (6, False, "")
    assert row.value == pytest.approx(fmean(union))
    assert row.spread == pytest.approx(pstdev(union))
    assert [r.number for r in leaderboard_rows(data, Phase.CONFIRM)] == [0, 5, 1, 2]
    assert [c.label for c in learning_curves(data)] == ["trial 15"] * 3 + ["trial 3"] * 3


def test_the_model_with_the_most_seeds_predicts_and_says_which_it_lacks(store: Store) -> None:
    record = begin(store)
    for number in (0, 1):
        trial = store.trials("night", Phase.CONFIRM)[number]
        store.save_trial(replace(trial, checkpoint=f"trials/confirm/{number}"))
    data = load_sweep(store, "night")
    assert data.winning_run is not None
    assert (data.winning_run.trial.number, data.beside_note(data.winning_run)) == (0, "")
    confirm_again(store, record, 5, (103, 104), checkpoint="trials/confirm/5")
    data = load_sweep(store, "night")
    assert data.winning_run is not None
    assert data.winning_run.trial.number == 0
    assert data.beside_note(data.winning_run) == (
        "the table's row is over 5 replicates; this model has 4 of them, the others are in trial 5 "
        "of phase confirm"
    )
    confirm_again(store, record, 6, range(103, 109), checkpoint="trials/confirm/6")
    data = load_sweep(store, "night")
    assert data.winning_run is not None
    assert data.winning_run.trial.number == 6
    assert "trial 0 and 5 of phase confirm" in data.beside_note(data.winning_run)


def test_the_first_complete_run_speaks_for_a_seed(store: Store) -> None:
    record = begin(store)
    first = store.trials("night", Phase.CONFIRM)[0]
    store.save_trial(replace(first, state=State.FAILED))
    confirm_again(store, record, 5, (100, 101, 102, 103))
    row = rows(result_grid(load_sweep(store, "night")))[0]
    assert (row.n, row.partial) == (4, False)
    assert row.value == pytest.approx(fmean(values(store, 5)))


def test_seeds_still_in_training_make_the_row_partial_and_give_no_value(store: Store) -> None:
    record = begin(store)
    confirm_again(store, record, 5, (104, 105), state=State.RUNNING)
    table = result_grid(load_sweep(store, "night"))
    assert (rows(table)[0].n, rows(table)[0].note) == (4, "partial: running, 4 of 6 replicates")
    assert rows(table)[0].value == pytest.approx(fmean(values(store, 0)))
    assert table.notices == ("confirm: 1 of 2 configurations not whole",)


def test_other_epochs_or_another_configuration_are_other_rows(store: Store) -> None:
    record = begin(store)
    first = store.trials("night", Phase.CONFIRM)[0].config
    confirm_again(store, record, 5, (104,), config={**first, "stop_epoch": 10})
    confirm_again(store, record, 6, (104,), config={**first, "stop_epoch": samples.EPOCHS})
    confirm_again(store, record, 7, (104,), config={**first, "model": {"hidden": 8}})
    counts = [r.n for r in rows(result_grid(load_sweep(store, "night"))) if r.kind == "ours"]
    assert counts == [5, 1, 1, 4]


def test_with_folds_one_epoch_is_chosen_for_all_seeds(store: Store) -> None:
    record = begin(store, "mutag")
    reports = samples.training(record, 0.7, Phase.CONFIRM, 4, samples.EPOCHS, 77)
    first = store.trials("night", Phase.CONFIRM)[0]
    samples.save(
        store,
        record,
        5,
        Phase.CONFIRM,
        reports,
        origin="confirm of 15",
        config={**first.config, "seeds": [1]},
        replicates=tuple(Replicate(1, fold) for fold in range(4)),
    )
    entry = next(e for e in load_sweep(store, "night").confirmations if e.searched_as == 15)
    means = [
        fmean(r.test or 0.0 for report in pair for r in report.replicates)
        for pair in zip(store.epochs("night", Phase.CONFIRM, 0), reports, strict=True)
    ]
    assert entry.summary.best_epoch == 1 + means.index(max(means))
    assert entry.summary.mean == pytest.approx(max(means))
    assert entry.summary.n == 8


def test_a_key_that_joined_the_configuration_later_has_its_default_in_the_older_run(
    store: Store,
) -> None:
    record = begin(store)
    tree = {
        "data": {"name": record.dataset},
        "basis": {"eps": [-0.3], "k": 2},
        "training": {"epochs": record.epochs},
    }
    older = tree | {"seeds": [104]}
    newer = parse_trial(tree | {"seeds": [105]}).model_dump(mode="json")
    assert "featuriser" in newer["data"]
    confirm_again(store, record, 5, (104,), config=older)
    confirm_again(store, record, 6, (105,), config=newer)
    confirm_again(store, record, 7, (106,), config=newer | {"precision": "float32"})
    assert [row.n for row in rows(result_grid(load_sweep(store, "night")))] == [4, 2, 1, 4, 4]
