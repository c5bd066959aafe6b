"""A sweep watched from another process: by what is in the database, and until it ends."""

from __future__ import annotations

import io
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pdf_search.errors import StoreError
from pdf_search.records import Phase, State, SweepRecord
from pdf_search.results import Store
from pdf_search.runs import locked
from pdf_search.space import Space
from pdf_search.sweep import SweepFolder, watch_sweep
from pdf_search.sweep.trial_log.study_progress import StudyView
from pdf_search.sweep.watch import Follower
from tests.patience import PATIENCE
from tests.reports import samples, study_samples
from tests.sweep.helpers import SilentView, report, sweep_record


@pytest.fixture
def sweep(space: Space) -> SweepRecord:
    return sweep_record(space, "random", 3)


def test_a_view_is_told_what_the_process_itself_would_tell(
    sweep: SweepRecord, tmp_path: Path
) -> None:
    view = SilentView()
    with Store(str(tmp_path / "results.db")) as store:
        store.create_sweep(sweep)
        follower = Follower(store, [sweep], Phase.SEARCH, view)
        for number, state in enumerate((State.COMPLETE, State.RUNNING)):
            epochs = [report(1, 3.0), report(2, 2.0)]
            samples.save(store, sweep, number, epochs=epochs, state=state)
        follower.look()
        assert view.events == [
            "seen 0 (2.0,)",
            "seen 1 (2.0,)",
            "started 1",
            "epoch 1 2 (2.0,)",
        ]
        view.events.clear()
        follower.look()
        assert view.events == []
        (running,) = [t for t in store.trials(sweep.name) if t.number == 1]
        store.add_epoch(sweep.name, Phase.SEARCH, 1, report(3, 1.0))
        store.save_trial(replace(running, epochs_done=3))
        follower.look()
        store.save_trial(replace(running, epochs_done=3, state=State.PAUSED))
        follower.look()
        store.save_trial(replace(running, epochs_done=3))
        follower.look()
        store.save_trial(replace(running, epochs_done=3, state=State.PRUNED))
        follower.look()
    assert view.events == [
        "epoch 1 3 (1.0,)",
        "paused 1 3",
        "started 1",
        "epoch 1 3 (1.0,)",
        "epoch 1 3 (1.0,)",
        "ended 1 PRUNED (1.0,)",
    ]


def test_it_is_watched_from_search_to_confirmation_until_its_process_ends(
    sweep: SweepRecord, tmp_path: Path
) -> None:
    folder = SweepFolder.of(tmp_path, "sweep", None)
    sweep = replace(sweep, name="sweep")
    ready, text = threading.Event(), io.StringIO()

    def drive() -> None:
        with locked(folder.path), folder.open_store(create=True) as store:
            ready.set()
            told(text, "nothing is, and it has had time to look", seconds=0.3)
            store.create_sweep(sweep)
            samples.save(store, sweep, 0, state=State.RUNNING)
            told(text, "nothing is, and it has had time to look", seconds=0.3)
            for number in (0, 2, 1):
                trained(store, sweep, number, 3.0 - number)
                told(text, f"search trial {number} COMPLETE")
            own = {"origin": "confirm of 2", "epochs": [report(1, 1.5)]}
            running = samples.save(store, sweep, 0, Phase.CONFIRM, state=State.RUNNING, **own)
            told(text, "search 3/3")
            told(text, "nothing is, and it has had time to look", seconds=0.5)
            store.save_trial(replace(running, state=State.COMPLETE))
            told(text, "confirming trial 2 COMPLETE")

    driver = threading.Thread(target=drive)
    driver.start()
    assert ready.wait(PATIENCE)
    watch_sweep(folder, Console(file=text), seconds=0.01)
    driver.join()
    lines = text.getvalue().splitlines()
    assert [line.partition("  [")[0] for line in lines] == [
        "search trial 0 COMPLETE",
        "search trial 2 COMPLETE",
        "search trial 1 COMPLETE",
        "search 3/3, 0 running, trial 2 leads with validation RMSE 1",
        "confirming trial 2 COMPLETE",
        "confirm 1/1, 0 running, trial 2 has the best validation RMSE 1.5",
    ]


def trained(store: Store, sweep: SweepRecord, number: int, value: float) -> None:
    """A trial that runs, has an epoch, and ends: the watcher may miss what is in between."""
    running = samples.save(store, sweep, number, state=State.RUNNING)
    store.add_epoch(sweep.name, Phase.SEARCH, number, report(1, value))
    store.save_trial(replace(running, state=State.COMPLETE, epochs_done=1))


def told(text: io.StringIO, words: str, seconds: float = 30.0) -> None:
    """Wait until the watcher has printed ``words``."""
    wait = threading.Event()
    for _ in range(int(seconds / 0.01)):
        if words in text.getvalue():
            return
        wait.wait(0.01)


def test_one_that_does_not_run_is_shown_as_it_is(sweep: SweepRecord, tmp_path: Path) -> None:
    folder, text = SweepFolder.of(tmp_path, "sweep", None), io.StringIO()
    with folder.open_store(create=True) as store:
        store.create_sweep(replace(sweep, name="sweep"))
        samples.save(store, replace(sweep, name="sweep"), 0, epochs=[report(1, 3.0)])
    watch_sweep(folder, Console(file=text), seconds=60)
    assert text.getvalue().splitlines() == [
        "search 1/3, 0 running, trial 0 leads with validation RMSE 3"
    ]
    with pytest.raises(StoreError, match="no sweep in"):
        watch_sweep(SweepFolder.of(tmp_path, "absent", None), Console(file=text))


def test_reruns_count_nowhere(sweep: SweepRecord, tmp_path: Path) -> None:
    folder, text = SweepFolder.of(tmp_path, "sweep", None), io.StringIO()
    sweep = replace(sweep, name="sweep")
    with folder.open_store(create=True) as store:
        store.create_sweep(sweep)
        for number in range(3):
            samples.save(store, sweep, number, epochs=[report(1, 3.0 - number)])
        for number, state in ((3, State.COMPLETE), (4, State.RUNNING)):
            again = {"origin": "rerun of 0", "epochs": [report(1, 0.5)]}
            samples.save(store, sweep, number, state=state, **again)
    watch_sweep(folder, Console(file=text), seconds=60)
    said = text.getvalue()
    assert said == "search 3/3, 1 running, trial 2 leads with validation RMSE 1\n"


def test_a_study_is_watched_over_all_its_runs(tmp_path: Path) -> None:
    folder, text = SweepFolder.of(tmp_path, "paper/ablation", None), io.StringIO()
    with folder.open_store(create=True) as store:
        record = study_samples.ablation(store, 3)
        watch_sweep(folder, Console(file=text), seconds=60)
        assert text.getvalue().splitlines() == ["study 30%, 3/10 runs, 0 running"]
        view = StudyView(Console(file=text))
        view.part(record, "ZINC")
        follower = Follower(store, [record], Phase.CONFIRM, view)
        follower.look()
        study_samples.train(store, record, 3, 0.1)
        follower.look()
    assert text.getvalue().splitlines()[1].startswith("ZINC, split, ")
    assert " COMPLETE, test MAE " in text.getvalue()
