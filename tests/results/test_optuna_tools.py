"""Optuna's own tools read the results database, and agree with what `show` prints."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
import pytest
from optuna.storages import RDBStorage
from optuna.trial import TrialState

from pdf_search.records import METRICS, State
from pdf_search.results import Store, parse_url
from pdf_search.results.tables import metadata
from reports import load_sweep, show_sweep, write_report
from tests.patience import PATIENCE
from tests.results import beside

TOLD = {
    State.COMPLETE: TrialState.COMPLETE,
    State.PRUNED: TrialState.PRUNED,
    State.DIVERGED: TrialState.PRUNED,
}


@contextmanager
def opened(url: str, name: str) -> Iterator[optuna.Study]:
    storage = RDBStorage(url)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna's own
        yield optuna.load_study(study_name=name, storage=storage)
    storage.remove_session()
    storage.engine.dispose()


def agrees(store: Store, name: str, study: optuna.Study) -> None:
    """States, values, parameters, order and direction are those of the record."""
    data = load_sweep(store, name)
    ours = {entry.trial.number: entry for entry in data.search}
    told = {t.user_attrs["trial"]: t for t in study.trials if "trial" in t.user_attrs}
    assert sorted(told) == sorted(ours)
    assert study.direction.name == f"{METRICS[data.sweep.metric].mode.upper()}IMIZE"
    for number, entry in ours.items():
        trial = told[number]
        assert trial.state is TOLD[entry.trial.state]
        assert trial.user_attrs["state"] == entry.trial.state
        assert trial.params == entry.trial.params
        if entry.trial.state is State.COMPLETE:
            assert trial.value == entry.summary.smoothed
        elif entry.trial.state is State.PRUNED:
            assert max(trial.intermediate_values) == entry.trial.epochs_done
    best = next(entry for entry in data.search if entry.rank == 1)
    assert study.best_trial.user_attrs["trial"] == best.trial.number
    states = [trial.state for trial in told.values()]
    assert f"{states.count(TrialState.COMPLETE)} COMPLETE" in show_sweep(data)
    assert set(states) == {TrialState.COMPLETE, TrialState.PRUNED}


def test_importances_and_figures_of_optuna_need_nothing_else(tmp_path: Path) -> None:
    plan = beside.planned(tmp_path / "alone", "alone", None)
    beside.run(plan, 3, 1e9, lambda _: None, lambda *_: None)
    with plan.folder.open_store() as store, opened(f"sqlite:///{store.place}", "alone") as study:
        agrees(store, "alone", study)
        importances = optuna.importance.get_param_importances(study)
        assert set(importances) <= {path for trial in study.trials for path in trial.params}
        assert sum(importances.values()) == pytest.approx(1.0)
        curves = optuna.visualization.plot_intermediate_values(study)
        assert curves.data
        history = optuna.visualization.plot_optimization_history(study)
        done = [t.value for t in study.trials if t.state is TrialState.COMPLETE]
        assert list(history.data[0].y) == done


def test_two_sweeps_at_once_share_a_postgresql_database(
    new_postgres_url: str, tmp_path: Path
) -> None:
    """Both begin with no tables there. The password of the URL is written nowhere."""
    beside.planned(tmp_path / "one", "one", None)  # prepares the data for both
    command = [sys.executable, "-m", "tests.results.beside"]
    with_password = new_postgres_url.replace("tester@", "tester:s3cret@")
    running = [
        subprocess.Popen(
            [*command, str(tmp_path / name), name, with_password],
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for name in ("one", "two")
    ]
    for process in running:
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        assert "s3cret" not in err
    url = parse_url(new_postgres_url).render_as_string(hide_password=False)
    with Store(new_postgres_url, create=False) as store:
        assert {sweep.name for sweep in store.sweeps()} >= {"one", "two"}
        for name in ("one", "two"):
            with opened(url, name) as study:
                agrees(store, name, study)
            write_report(store, name, tmp_path / name / "report")
        with store._reading() as connection:
            for table in metadata.sorted_tables:
                assert "s3cret" not in str(connection.execute(table.select()).all())
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 20
    assert [path for path in written if b"s3cret" in path.read_bytes()] == []
