import random
from math import isfinite, nan
from typing import Any

import pytest

from pdf_search.records import METRICS, Phase, Protocol, Replicate, State
from pdf_search.results import BestEpochs, Stat, rank_trials, summarise
from tests.results.samples import CONFIG, curve, epoch, sweep, trial

SEEDS = (Replicate(0), Replicate(1))
FOLDS = (Replicate(0, 0), Replicate(0, 1))


def test_split_takes_each_replicates_own_best_validation_epoch() -> None:
    epochs = curve([[3.0, 1.0], [1.0, 2.0], [2.0, 3.0]], [[9.0, 4.0], [6.0, 5.0], [1.0, 0.0]])
    summary = summarise(sweep(), trial(0, Phase.CONFIRM, replicates=SEEDS), epochs)
    assert summary.best_epochs == (2, 1)
    assert summary.best_epoch is None
    assert summary.test == (6.0, 4.0)
    assert (summary.mean, summary.std, summary.n, summary.split) == (5.0, 1.0, 2, "test")
    assert summary.last_test == (1.0, 0.0)
    assert not summary.partial


def test_search_has_validation_values_and_no_test_value_even_if_one_was_recorded() -> None:
    summary = summarise(sweep(), trial(), curve([[3.0], [1.0], [2.0]], [[0.1], [0.1], [0.1]]))
    assert (summary.mean, summary.std, summary.n, summary.split) == (1.0, None, 1, "valid")
    assert summary.test == summary.last_test == (None,)


def test_gin_curve_takes_one_epoch_from_the_mean_curve_of_the_held_out_parts() -> None:
    held_out = [[0.9, 0.1], [0.6, 0.6], [0.2, 0.8]]
    record = sweep(protocol=Protocol.GIN_CURVE, metric="accuracy")
    confirmed = trial(0, Phase.CONFIRM, replicates=FOLDS)
    summary = summarise(record, confirmed, curve([[None, None]] * 3, held_out))
    assert summary.best_epochs == (2, 2)
    assert summary.best_epoch == 2
    assert (summary.mean, summary.std, summary.n) == (pytest.approx(0.6), 0.0, 2)
    assert summary.last_test == (0.2, 0.8)


def test_a_search_with_folds_takes_its_epoch_from_the_validation_parts() -> None:
    record = sweep(protocol=Protocol.GIN_CURVE, metric="accuracy")
    valid, test = [[0.2, 0.4], [0.8, 0.6], [0.1, 0.3]], [[0.9, 0.9], [0.1, 0.1], [0.5, 0.5]]
    summary = summarise(record, trial(replicates=FOLDS), curve(valid, test))
    assert summary.best_epochs == (2, 2)
    assert summary.valid == (0.8, 0.6)


def test_inner_takes_each_folds_own_epoch() -> None:
    record = sweep(protocol=Protocol.INNER, metric="accuracy")
    confirmed = trial(0, Phase.CONFIRM, replicates=FOLDS)
    epochs = curve([[0.5, 0.9], [0.8, 0.1], [0.1, 0.1]], [[0.4, 0.7], [0.6, 0.3], [1.0, 1.0]])
    summary = summarise(record, confirmed, epochs)
    assert summary.best_epochs == (2, 1)
    assert summary.test == (0.6, 0.7)


def test_spread_is_the_population_standard_deviation() -> None:
    def of(*values: float | None) -> tuple[float | None, float | None, int]:
        stat = Stat.of(values)
        return stat.mean, stat.std, stat.n

    assert of(1.0, 3.0, None, nan) == (2.0, 1.0, 2)
    assert of(1.0) == (1.0, None, 1)
    assert of(None) == (None, None, 0)


def test_the_earlier_of_two_equal_epochs_is_taken() -> None:
    assert summarise(sweep(), trial(), curve([[2.0], [1.0], [1.0]])).best_epochs == (2,)


def test_a_value_that_is_not_finite_is_never_best() -> None:
    summary = summarise(sweep(), trial(), curve([[nan], [2.0], [float("-inf")]]))
    assert summary.valid == (2.0,)
    all_nan = summarise(sweep(), trial(), curve([[nan], [nan], [nan]]))
    assert (all_nan.mean, all_nan.n, all_nan.best_epochs) == (None, 0, (None,))
    assert all_nan.partial


def test_a_fold_that_diverged_counts_against_its_epoch() -> None:
    record = sweep(protocol=Protocol.GIN_CURVE, metric="accuracy")
    confirmed = trial(0, Phase.CONFIRM, replicates=FOLDS)
    summary = summarise(record, confirmed, curve([[None, None]] * 2, [[0.6, 0.6], [0.99, nan]]))
    assert summary.best_epoch == 1
    broken = summarise(record, confirmed, curve([[None, None]] * 3, [[0.6, nan]] * 3))
    assert broken.n == 1
    assert broken.reasons == ("1 of 2 replicates",)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("protocol", [Protocol.INNER, Protocol.GIN_CURVE])
@pytest.mark.parametrize("metric", ["rmse", "accuracy"])
def test_running_choices_are_those_of_the_whole_curve(
    phase: Phase, protocol: Protocol, metric: str
) -> None:
    """At every epoch, against a look at all epochs before it."""
    values = random.Random(phase.value + protocol.value + metric)
    some = [0.25, 0.5, 0.5, 0.75, 1.0, nan, None]
    record, pick = sweep(protocol=protocol, metric=metric), {"rmse": min, "accuracy": max}[metric]
    split = "test" if phase is Phase.CONFIRM else "valid"
    for _ in range(20):
        parts = [[values.choices(some, k=3) for _ in range(12)] for _ in range(2)]
        epochs = curve(*parts)
        best = BestEpochs.of(record, phase, [])
        for end, report in enumerate(epochs, start=1):
            best.add(report)
            found = tuple(item and item[0] for item in map(best.at, range(3)))
            if protocol is Protocol.INNER:
                expected = tuple(first(pick, parts[0][:end], i) for i in range(3))
            else:
                means = [Stat.of(row) for row in parts[split == "test"][:end]]
                most = max(mean.n for mean in means)
                rows = [[mean.mean if mean.n == most else None] for mean in means]
                expected = (first(pick, rows, 0),) * 3
            assert found == expected


def first(pick: Any, rows: list[list[float | None]], index: int) -> int | None:
    finite = [row[index] for row in rows if row[index] is not None and isfinite(row[index] or 0)]
    return [row[index] for row in rows].index(pick(finite)) + 1 if finite else None


def test_partial_names_its_reasons() -> None:
    running = trial(state=State.RUNNING, replicates=SEEDS)
    summary = summarise(sweep(), running, curve([[1.0, nan]]))
    assert summary.partial
    assert summary.reasons == ("running", "1 of 3 epochs", "1 of 2 replicates")
    one = trial(state=State.RUNNING, config={**CONFIG, "stop_epoch": 1})
    assert summarise(sweep(), one, []).reasons == ("running", "0 of 1 epoch", "0 of 1 replicate")
    empty = summarise(sweep(), trial(state=State.NOT_STARTED), [])
    assert (empty.mean, empty.epochs, empty.partial) == (None, 0, True)


def test_a_run_cut_by_stop_epoch_is_whole() -> None:
    cut = trial(config=CONFIG | {"stop_epoch": 2})
    assert not summarise(sweep(), cut, curve([[2.0], [1.0]])).partial


def test_the_baseline_predictor_is_whole_after_epoch_zero() -> None:
    baseline = trial(1, Phase.CONFIRM, origin="baseline", replicates=SEEDS, epochs_done=0)
    report = epoch(1, [4.0, 4.0], [3.0, 5.0])
    summary = summarise(sweep(), baseline, [type(report)(0, 0.0, report.replicates, 0.0, 0.0)])
    assert (summary.mean, summary.std, summary.partial) == (4.0, 1.0, False)


def test_ranking_puts_complete_first_and_the_far_come_before_the_stopped() -> None:
    members = [
        (trial(0, state=State.FAILED), []),
        (trial(1, state=State.PRUNED), curve([[0.1]])),
        (trial(2), curve([[3.0], [2.0], [2.5]])),
        (trial(3, state=State.DIVERGED), curve([[0.2]])),
        (trial(4), curve([[3.0], [1.0], [2.5]])),
        (trial(5, state=State.PRUNED), curve([[4.0], [4.0]])),
        (trial(6, state=State.NOT_STARTED), []),
        (trial(7), curve([[nan], [nan], [nan]])),
    ]
    pairs = [(record, summarise(sweep(), record, epochs)) for record, epochs in members]
    ranked = rank_trials(METRICS["rmse"], pairs)
    assert [record.number for record, _ in ranked] == [4, 2, 7, 5, 1, 3, 0, 6]
    up = [(record, summarise(sweep(metric="ap"), record, epochs)) for record, epochs in members]
    assert [r.number for r, _ in rank_trials(METRICS["ap"], up)] == [2, 4, 7, 5, 1, 3, 0, 6]
