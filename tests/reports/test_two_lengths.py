"""Trials that were confirmed twice, after 2 and after 8 epochs: compared run by run."""

from __future__ import annotations

from pdf_search.records import EpochReport, Phase, Replicate, State, SweepRecord
from pdf_search.results import Store
from reports import SweepData, load_sweep, result_grid, search_findings
from reports.pages.curves import learning_curves
from tests.reports import samples
from tests.reports.test_findings import epoch, searched

SHORT, LONG = 2, 8


def curve(length: int, valid: tuple[float, ...], test: tuple[float, ...]) -> list[EpochReport]:
    """The values are those of the last epoch, which is the best."""
    worse = tuple(value + 1 for value in valid)
    return [*(epoch(n, worse, worse) for n in range(1, length)), epoch(length, valid, test)]


def confirm(
    store: Store, record: SweepRecord, runs: list[tuple[int, int, tuple[float, ...]]]
) -> SweepData:
    """Confirm trials, given with their epochs and test values, in one run each."""
    for place, (number, length, tests) in enumerate(runs):
        samples.save(
            store,
            record,
            place,
            Phase.CONFIRM,
            curve(length, tests, tests),
            replicates=tuple(Replicate(10 * length + i) for i in range(len(tests))),
            origin=f"confirm of {number}",
            config={"training": {"epochs": length}},
        )
    return load_sweep(store, "night")


def sentences(data: SweepData) -> str:
    said = search_findings(data)
    return " ".join((*said.found, *said.unknown))


def test_runs_of_equal_length_are_compared_and_no_name_is_there_twice(store: Store) -> None:
    record = searched(store, (1.9, 1.5, 1.6))
    store.update_trial("night", Phase.SEARCH, 0, origin="sampled")
    runs = [
        (1, SHORT, (1.0, 2.0)),
        (2, SHORT, (1.2, 2.1)),
        (1, LONG, (1.0, 2.0, 3.0)),
        (2, LONG, (1.5, 2.5, 3.51)),
    ]
    data = confirm(store, record, runs)
    said = sentences(data)
    assert "Confirmed on fresh seeds, trial 1, 2 epochs, the first by the search, has" in said
    assert "; measurably behind trial 1, 8 epochs: trial 2, 8 epochs." in said
    assert "Not measurably different from trial 1, 2 epochs: trial 2, 2 epochs." in said
    assert "Not compared" not in said
    names = [line.name for line in result_grid(data).lines if line.kind == "ours"]
    assert names == [
        "PDF, ours (trial 1, 2 epochs)",
        "PDF, ours (trial 1, 8 epochs)",
        "PDF, ours (trial 2, 2 epochs)",
        "PDF, ours (trial 2, 8 epochs)",
    ]
    labels = {curve.label for curve in learning_curves(data)}
    assert labels == {name.removeprefix("PDF, ours (").removesuffix(")") for name in names}


def test_a_better_one_is_said_to_be_ahead_and_one_without_a_partner_is_named(store: Store) -> None:
    record = searched(store, (1.9, 1.5, 1.6))
    store.update_trial("night", Phase.SEARCH, 0, origin="sampled")
    runs = [(1, LONG, (1.5, 2.5, 3.51)), (2, LONG, (1.0, 2.0, 3.0)), (2, SHORT, (1.2, 2.1))]
    said = sentences(confirm(store, record, runs))
    assert "; measurably ahead of trial 1: trial 2, 8 epochs." in said
    assert said.endswith("are whole and of equal length: trial 2, 2 epochs.")


def test_the_published_setting_is_compared_with_the_run_of_its_length(store: Store) -> None:
    record = searched(store, (1.9, 1.5))
    runs = [(1, SHORT, (1.0, 2.0)), (1, LONG, (1.0, 2.0, 3.0)), (0, LONG, (1.5, 2.5, 3.51))]
    said = sentences(confirm(store, record, runs))
    assert "; trial 1, 8 epochs is ahead of the published setting (trial 0) by 0.5033" in said
    assert "Not compared" not in said
    assert "How it compares" not in said


def test_runs_of_one_length_but_other_settings_are_told_apart_by_their_numbers(
    store: Store,
) -> None:
    record = searched(store, (1.9, 1.5))
    confirm(store, record, [(1, LONG, (1.0, 2.0))])
    samples.save(
        store,
        record,
        1,
        Phase.CONFIRM,
        curve(LONG, (1.0,), (1.0,)),
        origin="confirm of 1",
        config={"training": {"epochs": LONG}, "model": {"hidden": 8}},
    )
    names = [entry.called for entry in load_sweep(store, "night").confirmed]
    assert names == ["trial 1, 8 epochs, run 0", "trial 1, 8 epochs, run 1"]


def test_the_spread_of_the_length_of_the_search_measures_its_trials(store: Store) -> None:
    record = searched(store, (2.9, 1.50, 1.55, 2.4))  # of one epoch
    runs = [(1, LONG, (1.0, 2.0, 3.0)), (1, 1, (1.5, 1.6, 1.7)), (2, LONG, (1.0, 2.0, 3.0))]
    assert search_findings(confirm(store, record, runs)).unknown[0] == (
        "Which trial is best: 1 of 3 other complete trials (trial 2) lies within 0.61, the least "
        "measurable difference (spread between seeds of one configuration 0.10, 2 degrees of "
        "freedom)."
    )


def test_where_only_another_length_is_confirmed_the_sentence_says_so(store: Store) -> None:
    record = searched(store, (1.9, 1.50, 1.55, 2.4))
    runs = [(1, LONG, (1.5, 1.6, 1.7)), (2, LONG, (1.5, 1.6, 1.7)), (1, SHORT, (1.0, 2.0))]
    assert search_findings(confirm(store, record, runs)).unknown[0] == (
        "Which trial is best: 1 of 3 other complete trials (trial 2) lies within 0.39, the least "
        "measurable difference (spread between seeds of one configuration 0.10, measured at "
        "another length, 8 epochs, 4 degrees of freedom)."
    )


def test_a_trial_of_two_runs_counts_once(store: Store) -> None:
    record = searched(store, (1.9, 1.5, 1.6))
    runs = [(1, SHORT, (1.0, 2.0)), (1, LONG, (1.0, 2.0)), (2, SHORT, (1.0,)), (2, LONG, (1.0,))]
    data = confirm(store, record, runs)
    assert (data.confirmed_whole, data.notices()) == (2, [])
    for number in (2, 3):
        store.update_trial("night", Phase.CONFIRM, number, state=State.INTERRUPTED)
    data = load_sweep(store, "night")
    assert data.confirmed_whole == 1
    assert data.notices() == ["confirm: 1 of 2 configurations not whole"]
    store.update_trial("night", Phase.CONFIRM, 2, state=State.COMPLETE)
    data = load_sweep(store, "night")
    assert data.confirmed_whole == 2
    assert data.notices() == ["confirm: 1 of 2 configurations not whole"]
