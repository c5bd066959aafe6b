"""Sweeps side by side: which numbers stand in the table, and when winners differ measurably."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pdf_search.records import EpochReport, Phase, Protocol, Replicate, ReplicateEpoch, State
from pdf_search.results import Store
from reports import SweepData, compared, grid_plain, load_sweep, sweeps_grid
from reports.grid.cell import Cell
from reports.grid.grid import Grid
from tests.reports import samples

A, B = (1.50, 1.62, 1.58, 1.66), (1.42, 1.55, 1.49, 1.60)


def recorded(
    store: Store,
    name: str,
    tests: tuple[float, ...] = A,
    first_seed: int = 10,
    folds: bool = False,
    hidden: int = 32,
    **changes: object,
) -> SweepData:
    """A sweep of two trials, the second of which was confirmed with these test values."""
    record = samples.sweep(name=name, trials=2, epochs=1, **changes)
    store.create_sweep(record)
    config = {"data": {"name": "freesolv"}, "model": {"hidden": hidden, "layers": 3}}
    for number, value in enumerate((1.9, 1.5)):
        samples.save(store, record, number, epochs=[epoch((value,))])
    replicates = [
        Replicate(0, i) if folds else Replicate(first_seed + i) for i in range(len(tests))
    ]
    samples.save(
        store,
        record,
        0,
        Phase.CONFIRM,
        [epoch(tests, tests)],
        replicates=tuple(replicates),
        origin="confirm of 1",
        config=config,
    )
    return load_sweep(store, name)


def epoch(valid: tuple[float, ...], test: tuple[float, ...] = ()) -> EpochReport:
    tests = test or (None,) * len(valid)
    members = tuple(ReplicateEpoch(1.0, v, t) for v, t in zip(valid, tests, strict=True))
    return EpochReport(1, 1e-3, members, seconds=1.0, peak_mb=1.0)


def test_the_same_seeds_are_paired(store: Store) -> None:
    first, other = recorded(store, "a"), recorded(store, "b", B)
    found = compared(("a", first), ("b", other))
    expected = stats.ttest_rel(B, A).confidence_interval()
    assert found.is_paired
    assert found.difference is not None
    assert found.difference.mean == pytest.approx(np.mean(B) - np.mean(A))
    assert (found.difference.low, found.difference.high) == pytest.approx(tuple(expected))
    assert found.difference.measurable
    sentence = found.sentence(other)
    assert sentence == (
        "b is ahead of a in test RMSE (kcal/mol) by 0.0750 (standard error 0.0065; 95% interval "
        "0.0545 to 0.0955, paired, n 4)."
    )
    assert compared(("b", other), ("a", first)).sentence(first) == (
        "a is behind b in test RMSE (kcal/mol) by 0.0750 (standard error 0.0065; 95% interval "
        "0.0545 to 0.0955, paired, n 4)."
    )


def test_other_seeds_are_compared_by_their_means(store: Store) -> None:
    first, other = recorded(store, "a"), recorded(store, "b", B, first_seed=20)
    found = compared(("a", first), ("b", other))
    expected = stats.ttest_ind(B, A, equal_var=False).confidence_interval()
    assert not found.is_paired
    assert found.difference is not None
    assert (found.difference.low, found.difference.high) == pytest.approx(tuple(expected))
    assert (-expected.high, -expected.low) == pytest.approx((-0.052, 0.202), abs=5e-4)
    assert found.sentence(other) == (
        "No measurable difference to a in test RMSE (kcal/mol): b is ahead by 0.075 (standard "
        "error 0.052; 95% interval -0.052 to 0.202, unpaired, n 4)."
    )


def test_two_that_are_level_are_said_to_be_so(store: Store) -> None:
    first, other = recorded(store, "a"), recorded(store, "b")
    said = compared(("a", first), ("b", other)).sentence(other)
    start = "No measurable difference to a in test RMSE (kcal/mol): b is level (standard error"
    assert said.startswith(start)


def test_a_metric_of_which_more_is_better_has_the_same_directions(store: Store) -> None:
    changes = {"metric": "accuracy", "options": {}}
    first = recorded(store, "a", (0.50, 0.62, 0.58, 0.66), **changes)
    other = recorded(store, "b", (0.42, 0.55, 0.49, 0.60), **changes)
    said = compared(("a", first), ("b", other)).sentence(other)
    assert said.startswith("b is behind a in test accuracy (%) by 7.50 (standard error 0.65; ")
    assert "95% interval 5.45 to 9.55, paired" in said


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"fingerprint": "other"}, "another data"),
        ({"split_hash": "other"}, "another split"),
        ({"metric": "mae"}, "another metric"),
        ({"protocol": Protocol.INNER}, "another protocol"),
        ({"tests": (1.5,)}, "fewer than two replicates of b."),
    ],
)
def test_what_is_not_the_same_measurement_is_not_compared(
    store: Store, changes: dict[str, object], why: str
) -> None:
    first, other = recorded(store, "a"), recorded(store, "b", **changes)  # type: ignore[arg-type]
    found = compared(("a", first), ("b", other))
    assert found.difference is None
    assert f"b and a are not compared: {why}" in found.sentence(other)


def test_folds_are_compared_only_where_all_are_there(store: Store) -> None:
    first = recorded(store, "a", folds=True)
    other = recorded(store, "b", B[:3], folds=True)
    whole = recorded(store, "c", B, folds=True)
    assert "not all folds" in compared(("a", first), ("b", other)).why
    assert compared(("a", first), ("c", whole)).is_paired


def test_the_table_has_the_numbers_and_only_settings_that_differ(store: Store) -> None:
    first, other = recorded(store, "a"), recorded(store, "b", B, hidden=64, method="random")
    text = grid_plain(sweeps_grid([("a", first), ("b", other)]))
    lines = {words[0]: words[1:] for line in text.splitlines() if (words := line.split("  "))}
    cells = {name: [word.strip() for word in words if word] for name, words in lines.items()}
    assert cells["method"] == ["tpe+asha", "random"]
    assert cells["winner"] == ["trial 1", "trial 1"]
    assert cells["its test value"] == ["1.590 ± 0.059", "1.515 ± 0.067"]
    assert cells["model.hidden"] == ["32", "64"]
    assert "model.layers" not in cells


def lengths(store: Store, name: str, stop: int | None) -> SweepData:
    """Of three trials of 20 epochs, or ``stop``, one stopped early, and a winner on two seeds."""
    record = samples.sweep(name=name, trials=3)
    store.create_sweep(record)
    config = {"training": {"epochs": 20}, "stop_epoch": stop}
    for number, epochs in enumerate((stop or 20, stop or 20, 3)):
        state = State.PRUNED if epochs == 3 else State.COMPLETE
        curve = samples.training(record, 1.0, epochs=epochs)
        samples.save(store, record, number, epochs=curve, state=state, config=config)
    curve = samples.training(record, 1.0, Phase.CONFIRM, replicates=2, epochs=stop or 20)
    origin = "confirm of 0"
    samples.save(store, record, 0, Phase.CONFIRM, curve, origin=origin, config=config)
    return load_sweep(store, name)


def facts(grid: Grid) -> dict[str, tuple[Cell | str, ...]]:
    return {line.name: line.cells for line in grid.lines}


def test_trials_that_were_cut_after_fewer_epochs_are_told(store: Store) -> None:
    grid = sweeps_grid([("a", lengths(store, "a", None)), ("b", lengths(store, "b", 5))])
    assert facts(grid)["epochs of a trial"] == ("20", "5 of 20")
    assert facts(grid)["stopped early"] == ("1, after 3 epochs", "1, after 3 epochs")
    assert facts(grid)["its epochs"] == ("20", "5 of 20")
    assert grid.notes[1:] == (
        "Trials of the searches are of different lengths, in epochs: 20 in a, 5 of 20 in b.",
        "The winners are of different lengths, in epochs: 20 in a, 5 of 20 in b.",
    )


def test_epochs_of_every_replicate_are_counted_and_equal_lengths_need_no_note(
    store: Store,
) -> None:
    grid = sweeps_grid([("a", lengths(store, "a", 5)), ("b", lengths(store, "b", 5))])
    assert facts(grid)["epochs trained"] == ("23", "23")  # 5 + 5 + 3, and 5 on two seeds
    assert len(grid.notes) == 1


def test_a_sweep_without_a_winner_says_so(store: Store) -> None:
    record = samples.sweep(name="b", trials=2, epochs=1)
    store.create_sweep(record)
    samples.save(store, record, 0, epochs=[epoch((1.9,))])
    sweeps = [("a", recorded(store, "a")), ("b", load_sweep(store, "b"))]
    grid = sweeps_grid(sweeps)
    assert "no trial of b is confirmed" in grid.notes[0]
    assert "b: confirm: not run yet, so there are no test numbers" in grid.notices
