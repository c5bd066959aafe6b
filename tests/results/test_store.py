import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pdf_search.errors import StoreError
from pdf_search.records import EpochReport, Phase, Replicate, ReplicateEpoch, State
from pdf_search.results import Store
from tests.results.samples import CONFIG, curve, epoch, sweep, trial


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'results.db'}"
    else:
        url = request.getfixturevalue("postgres_url")
    with Store(url) as store:
        yield store
        if request.param == "postgresql":
            with store._writing() as connection:
                connection.exec_driver_sql("DELETE FROM pdf_sweep")


def test_sweep_round_trips_and_can_be_updated(store: Store) -> None:
    store.create_sweep(sweep())
    store.create_sweep(sweep("later", created="2025-03-02T00:00:00+00:00"))
    assert store.sweep("night") == sweep()
    store.update_sweep("night", trials=40, options={"concurrent": 4})
    assert store.sweep("night") == sweep(trials=40, options={"concurrent": 4})
    assert [record.name for record in store.sweeps()] == ["night", "later"]


def test_sweeps_of_a_name_are_itself_and_the_parts_of_a_study(store: Store) -> None:
    for name in ("a_b", "a_b/zinc/split", "axb/zinc/split", "a_bc", "A_B/x", "b/a_b"):
        store.create_sweep(sweep(name))
    assert [found.name for found in store.sweeps("a_b")] == ["a_b", "a_b/zinc/split"]
    assert store.sweeps("a") == []
    assert len(store.sweeps()) == 6


def test_rungs_are_read_without_the_epochs_between(store: Store) -> None:
    store.create_sweep(sweep())
    store.save_trial(trial())
    for report in curve([[3.0], [2.0], [1.0]]):
        store.add_epoch("night", Phase.SEARCH, 0, report)
    found = store.all_epochs("night", Phase.SEARCH, at=(1, 3, 9))
    assert [report.epoch for report in found[0]] == [1, 3]


def test_a_taken_name_is_refused_with_the_remedy(store: Store) -> None:
    store.create_sweep(sweep())
    with pytest.raises(StoreError, match=r"sweep 'night' exists .*pdf-search resume night"):
        store.create_sweep(sweep())


def test_unknown_sweep_names_close_matches(store: Store) -> None:
    store.create_sweep(sweep())
    store.create_sweep(sweep("zinc"))
    with pytest.raises(StoreError, match=r"did you mean night\? `pdf-search list`"):
        store.sweep("nihgt")
    for call in (store.trials, store.update_sweep):
        with pytest.raises(StoreError, match="no sweep named 'absent'"):
            call("absent")


def test_unknown_field_of_a_sweep_is_refused(store: Store) -> None:
    store.create_sweep(sweep())
    with pytest.raises(TypeError, match="no field colour"):
        store.update_sweep("night", colour="red")


def test_trials_round_trip_by_phase_and_number(store: Store) -> None:
    store.create_sweep(sweep())
    folds = tuple(Replicate(3, fold) for fold in range(10))
    trials = [
        trial(0, origin="published"),
        trial(1, state=State.RUNNING, seconds=None, peak_mb=None, parameters=None),
        trial(0, Phase.CONFIRM, replicates=folds, origin="confirm of 1"),
    ]
    for record in reversed(trials):
        store.save_trial(record)
    assert store.trials("night") == trials
    assert store.trials("night", Phase.CONFIRM) == trials[2:]
    assert store.trials("night")[0].config == CONFIG


def test_saving_again_replaces_the_trial_and_keeps_its_epochs(store: Store) -> None:
    store.create_sweep(sweep())
    running = trial(state=State.RUNNING, replicates=(Replicate(0), Replicate(1)))
    store.save_trial(running)
    store.add_epoch("night", Phase.SEARCH, 0, epoch(1, [1.0, 2.0]))
    pruned = replace(running, state=State.PRUNED, epochs_done=1, message="worse than its rung")
    store.save_trial(pruned)
    assert store.trials("night") == [pruned]
    assert store.epochs("night", Phase.SEARCH, 0) == [epoch(1, [1.0, 2.0])]


def test_epochs_are_idempotent_and_can_be_dropped(store: Store) -> None:
    store.create_sweep(sweep())
    store.save_trial(trial())
    reports = curve([[3.0], [2.0], [1.0]])
    for report in reports:
        store.add_epoch("night", Phase.SEARCH, 0, report)
    again = epoch(2, [2.5])
    store.add_epoch("night", Phase.SEARCH, 0, again)
    assert store.epochs("night", Phase.SEARCH, 0) == [reports[0], again, reports[2]]
    store.drop_epochs_after("night", Phase.SEARCH, 0, 1)
    assert store.epochs("night", Phase.SEARCH, 0) == reports[:1]


def test_all_epochs_gives_each_trial_its_own(store: Store) -> None:
    store.create_sweep(sweep())
    for number, phase in ((0, Phase.SEARCH), (2, Phase.SEARCH), (0, Phase.CONFIRM)):
        store.save_trial(trial(number, phase))
        store.add_epoch("night", phase, number, epoch(1, [float(number)], [9.0]))
    store.save_trial(trial(3))
    assert store.all_epochs("night", Phase.SEARCH) == {
        0: [epoch(1, [0.0], [9.0])],
        2: [epoch(1, [2.0], [9.0])],
    }


def test_values_that_are_not_finite_round_trip(store: Store) -> None:
    store.create_sweep(sweep())
    store.save_trial(trial(replicates=(Replicate(0), Replicate(1), Replicate(2))))
    members = (
        ReplicateEpoch(math.inf, math.nan, None),
        ReplicateEpoch(0.1 + 0.2, -math.inf, 5e-324),
        ReplicateEpoch(math.nan, None, 1.7976931348623157e308),
    )
    store.add_epoch("night", Phase.SEARCH, 0, EpochReport(1, 1e-3, members, 0.5, 1.0))
    (report,) = store.epochs("night", Phase.SEARCH, 0)
    assert repr(report.replicates) == repr(members)


def test_an_average_in_sql_leaves_out_what_is_not_finite(store: Store) -> None:
    store.create_sweep(sweep())
    store.save_trial(trial())
    store.add_epoch("night", Phase.SEARCH, 0, epoch(1, [math.nan, 2.0, 4.0, math.inf]))
    with store._reading() as connection:
        query = "SELECT avg(valid), count(*) FROM pdf_epoch"
        assert connection.exec_driver_sql(query).one() == (3.0, 4)


def test_an_epoch_of_an_unknown_trial_is_refused(store: Store) -> None:
    store.create_sweep(sweep())
    with pytest.raises(StoreError, match="no trial 5 in phase search"):
        store.add_epoch("night", Phase.SEARCH, 5, epoch(1, [1.0]))


def test_the_epochs_of_a_phase_are_those_of_no_other(store: Store) -> None:
    store.create_sweep(sweep())
    for phase, value in ((Phase.SEARCH, 1.0), (Phase.CONFIRM, 2.0)):
        store.save_trial(trial(0, phase))
        store.add_epoch("night", phase, 0, epoch(1, [value]))
    for phase, value in ((Phase.SEARCH, 1.0), (Phase.CONFIRM, 2.0)):
        (reports,) = store.all_epochs("night", phase).values()
        assert [report.replicates[0].valid for report in reports] == [value]
