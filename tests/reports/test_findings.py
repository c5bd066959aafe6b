"""What a search found: the sentences follow from the records, by the rule that is stated."""

from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest
from scipy import stats

from pdf_search.records import EpochReport, Phase, Replicate, ReplicateEpoch, State, SweepRecord
from pdf_search.results import Store
from reports import load_sweep, search_findings, show_sweep, write_report
from reports.findings.noise import noise, paired, values_of
from reports.findings.parameters import holm
from tests.reports import samples


def epoch(number: int, valid: tuple[float, ...], test: tuple[float, ...] = ()) -> EpochReport:
    tests = test or (None,) * len(valid)
    members = tuple(ReplicateEpoch(1.0, v, t) for v, t in zip(valid, tests, strict=True))
    return EpochReport(number, 1e-3, members, seconds=1.0, peak_mb=1.0)


def searched(store: Store, values: tuple[float, ...], **changes: object) -> SweepRecord:
    record = samples.sweep(trials=len(values), epochs=1, options={})
    store.create_sweep(record)
    for number, value in enumerate(values):
        origin = "published" if number == 0 else "sampled"
        samples.save(store, record, number, epochs=[epoch(1, (value,))], origin=origin, **changes)
    return record


def confirmed(store: Store, record: SweepRecord, tests: dict[int, tuple[float, ...]]) -> None:
    for place, (number, values) in enumerate(tests.items()):
        samples.save(
            store,
            record,
            place,
            Phase.CONFIRM,
            [epoch(1, values, values)],
            replicates=tuple(Replicate(10 + i) for i in range(len(values))),
            origin=f"confirm of {number}",
        )


def test_trials_within_the_spread_of_seeds_cannot_be_told_apart(store: Store) -> None:
    record = searched(store, (1.9, 1.50, 1.55, 2.4))
    confirmed(store, record, {1: (1.5, 1.6, 1.7), 2: (1.6, 1.7, 1.8)})
    data = load_sweep(store, "night")
    chance = noise(data.confirmed, "valid")
    assert chance is not None
    assert (chance.std, chance.freedom) == (pytest.approx(0.1), 4)
    assert chance.margin(1) == pytest.approx(stats.t.ppf(0.975, 4) * 0.1 * sqrt(2))  # 0.39
    said = search_findings(data)
    assert (
        said.found[0] == "The best of 4 trials (trial 1; 4 complete) reached validation RMSE 1.500."
    )
    assert said.unknown[0] == (
        "Which trial is best: 1 of 3 other complete trials (trial 2) lies within 0.39, the least "
        "measurable difference (spread between seeds of one configuration 0.10, 4 degrees of "
        "freedom)."
    )


def two_epochs(store: Store) -> None:
    """Trial 0 has the better epoch, trial 1 the better mean of both: 1.7, of the other 2.0."""
    record = samples.sweep(trials=2, epochs=2, options={})
    store.create_sweep(record)
    for trial, curve in enumerate(((3.0, 1.0), (1.8, 1.6))):
        epochs = [epoch(i, (value,)) for i, value in enumerate(curve, start=1)]
        samples.save(store, record, trial, epochs=epochs)


def test_the_value_that_ranks_is_told_where_another_trial_had_a_better_epoch(store: Store) -> None:
    record = samples.sweep(trials=2, epochs=3, options={})
    store.create_sweep(record)
    for trial, curve in enumerate(((4.0, 1.0, 4.0), (1.8, 1.6, 1.5))):
        epochs = [epoch(i, (value,)) for i, value in enumerate(curve, start=1)]
        samples.save(store, record, trial, epochs=epochs, origin="sampled")
    said = search_findings(load_sweep(store, "night")).found[0]
    assert "(trial 1; 2 complete) reached validation RMSE 1.500 (1.6" in said
    assert "as the best mean of up to three consecutive epochs, which ranks trials)" in said


def test_of_two_epochs_no_mean_of_three_is_told(store: Store) -> None:
    two_epochs(store)
    said = search_findings(load_sweep(store, "night")).found[0]
    assert said.startswith(
        "The best of 2 trials (trial 1; 2 complete) reached validation RMSE 1.600 (1.700 as the "
        "best mean of up to two consecutive epochs, which ranks trials)"
    )


def test_a_best_trial_far_ahead_is_said_to_be_so(store: Store) -> None:
    record = searched(store, (2.9, 1.5, 2.8))
    confirmed(store, record, {1: (1.5, 1.6, 1.7), 0: (2.5, 2.6, 2.7)})
    said = search_findings(load_sweep(store, "night"))
    assert (
        "reached validation RMSE 1.500, ahead of 2 other complete trials by more" in said.found[0]
    )
    assert not any(text.startswith("Which trial is best") for text in said.unknown)


def test_without_confirmed_seeds_the_order_of_the_best_is_not_known(store: Store) -> None:
    searched(store, (1.9, 1.5, 1.6))
    said = search_findings(load_sweep(store, "night"))
    assert said.unknown[0].startswith(
        "Whether trial 1 is better than the next (trial 2, 0.10 behind): how far two seeds"
    )
    assert said.unknown[-1] == "Test values: no configuration is confirmed yet."


def test_the_published_setting_is_compared_in_pairs_of_equal_seeds(store: Store) -> None:
    record = searched(store, (1.9, 1.5))
    confirmed(store, record, {1: (1.0, 2.0, 3.0), 0: (1.3, 2.1, 3.2)})
    data = load_sweep(store, "night")
    difference = paired(*(values_of(entry, "test") for entry in data.confirmed))
    assert difference is not None
    test = stats.ttest_rel((1.0, 2.0, 3.0), (1.3, 2.1, 3.2))
    interval = test.confidence_interval(0.95)
    assert (difference.low, difference.high) == pytest.approx((interval.low, interval.high))
    assert search_findings(data).found[-1] == (
        "Confirmed on fresh seeds, trial 1, the first by the search, has test RMSE 2.00 ± 0.82 "
        "(n 3, population standard deviation); no measurable difference to the published setting "
        "(trial 0): it is ahead by 0.200 (standard error 0.058; 95% interval -0.048 to 0.448, "
        "paired, n 3)."
    )


def test_a_measurable_difference_has_a_direction(store: Store) -> None:
    record = searched(store, (1.9, 1.5))
    confirmed(store, record, {1: (1.0, 2.0, 3.0), 0: (0.7, 1.7, 2.71)})
    said = search_findings(load_sweep(store, "night")).found[-1]
    assert "it is behind the published setting (trial 0) by 0.2967" in said
    assert "95% interval 0.2823 to 0.3110, paired, n 3" in said
    assert "no measurable" not in said


def test_a_published_setting_that_is_not_confirmed_is_not_compared(store: Store) -> None:
    record = searched(store, (1.9, 1.5))
    confirmed(store, record, {1: (1.0, 2.0)})
    unknown = search_findings(load_sweep(store, "night")).unknown
    assert any(
        "the published setting (trial 0), which is not confirmed" in text for text in unknown
    )


def test_runs_of_other_length_are_not_compared(store: Store) -> None:
    record = searched(store, (1.9, 1.5, 1.6))
    confirmed(store, record, {1: (1.0, 2.0), 2: (1.1, 2.1)})
    samples.save(
        store,
        record,
        2,
        Phase.CONFIRM,
        [epoch(1, (5.0, 6.0), (5.0, 6.0)), epoch(2, (5.0, 6.0), (5.0, 6.0))],
        replicates=(Replicate(10), Replicate(11)),
        origin="confirm of 0",
        config={"training": {"epochs": 2}},
    )
    unknown = " ".join(search_findings(load_sweep(store, "night")).unknown)
    assert "How it compares with the published setting (trial 0): fewer than two" in unknown


def test_folds_share_graphs_so_their_standard_error_is_larger() -> None:
    own = {Replicate(0, fold): 0.8 + 0.01 * (fold % 3) for fold in range(10)}
    other = dict.fromkeys(own, 0.8)
    difference = paired(own, other)
    assert difference is not None
    plain = stats.sem([own[r] - 0.8 for r in own])
    assert difference.error == pytest.approx(plain * sqrt((1 / 10 + 1 / 9) / (1 / 10)))


def test_parameters_are_named_that_survive_holm(store: Store) -> None:
    record = samples.sweep(trials=40)
    samples.search(store, record, trials=40)  # hidden and, through the draw, the filter matter
    said = search_findings(load_sweep(store, "night"))
    assert "model.hidden (medians" in said.found[1]
    assert "with 128 (n 6)" in said.found[1]
    assert "No measurable difference between the values of training.learning_rate." in said.unknown


def test_holm_pays_for_every_test() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_chance_alone_names_a_parameter_in_few_searches(store: Store) -> None:
    named = 0
    for run in range(20):
        record = replace(samples.sweep(trials=16, epochs=1), name=f"run{run}")
        store.create_sweep(record)
        order = [(number * 7 + run * 5) % 16 for number in range(16)]
        for number, place in enumerate(order):
            values = {f"p{i}": (number * (2 * i + 3) + i * run) % 17 for i in range(6)}
            samples.save(store, record, number, epochs=[epoch(1, (1.0 + place,))], params=values)
        found = search_findings(load_sweep(store, record.name)).found
        named += any("went with" in text for text in found)
    assert named <= 5  # six parameters tested one by one would be named far more often


def test_few_trials_cannot_tell_and_say_so(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record, trials=5)
    unknown = search_findings(load_sweep(store, "night")).unknown
    assert any(text.startswith("What the parameters do: ") for text in unknown)


def test_before_the_first_complete_trial_nothing_is_found(store: Store) -> None:
    record = samples.sweep()
    store.create_sweep(record)
    samples.save(store, record, 0, state=State.FAILED)
    said = search_findings(load_sweep(store, "night"))
    assert said.found == ()
    assert said.unknown[0] == "Which trial is best: none of 1 trial is complete with a value."
    assert said.partial[0] == "search: 1 of 16 trials finished"


def test_the_sentences_are_in_every_output(store: Store, tmp_path: Path) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))
    write_report(store, "night", tmp_path)
    data = load_sweep(store, "night")
    for said in search_findings(data).found:
        assert said in show_sweep(data)
        assert said in (tmp_path / "report.html").read_text(encoding="utf-8")
        assert said.replace("_", r"\_") in (tmp_path / "findings.md").read_text(encoding="utf-8")
