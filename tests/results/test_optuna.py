"""Optuna's tables beside ours in one database file."""

import warnings

import optuna
import pytest
from optuna.storages import RDBStorage

from pdf_search.errors import StoreError
from pdf_search.records import METRICS, Phase
from pdf_search.results import Patience, Store
from pdf_search.sweep.samplers import optuna_storage
from pdf_search.sweep.samplers.optuna_storage import (
    close_storage,
    open_storage,
    open_study,
    told_as_store_errors,
)
from tests.results.postgres import Server
from tests.results.samples import epoch, sweep, trial


def test_both_write_in_turns_to_one_file(store: Store) -> None:
    store.create_sweep(sweep())
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna's own experimental and deprecation notices
        storage = optuna.storages.RDBStorage(
            f"sqlite:///{store.place}", engine_kwargs={"connect_args": {"timeout": 0.5}}
        )
        study = optuna.create_study(study_name="night", storage=storage)
        for number in range(3):
            asked = study.ask()
            store.save_trial(trial(number, params={"x": asked.suggest_float("x", 0, 1)}))
            store.add_epoch("night", Phase.SEARCH, number, epoch(1, [float(number)]))
            asked.report(float(number), 1)
            study.tell(asked, float(number))
        close_storage(storage)
        storage = optuna.storages.RDBStorage(f"sqlite:///{store.place}")
        told = optuna.load_study(study_name="night", storage=storage).trials
        close_storage(storage)
    assert [t.value for t in told] == [0.0, 1.0, 2.0]
    assert [t.params["x"] for t in store.trials("night")] == [t.params["x"] for t in told]
    assert len(store.all_epochs("night", Phase.SEARCH)) == 3
    with store._reading() as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        names = set(connection.exec_driver_sql(query).scalars())
    assert {"trials", "studies", "version_info", "alembic_version", "pdf_trial"} <= names


def test_our_tables_join_a_database_that_optuna_made(tmp_path: object) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    storage = optuna.storages.RDBStorage(url)
    close_storage(storage)
    with Store(url) as store:
        store.create_sweep(sweep())
        assert store.sweep("night") == sweep()


def started(storage: RDBStorage) -> int:
    study = open_study(storage, "night", METRICS["rmse"])
    return study.ask().number


def test_a_draw_waits_for_a_server_that_is_started_again(
    postgres: Server, new_postgres_url: str
) -> None:
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        postgres.start()

    with Store(new_postgres_url) as store:
        store.patience = Patience(say, 30.0, pause=0.05)
        storage = open_storage(new_postgres_url, store.wait)
        assert started(storage) == 0
        postgres.stop()
        assert started(storage) == 1
        close_storage(storage)
    assert len(said) == 1
    assert "waiting up to 30 s for the results database" in said[0]


def test_a_server_that_stays_away_is_an_error_with_its_name(
    postgres: Server, new_postgres_url: str
) -> None:
    storage = open_storage(new_postgres_url)
    postgres.stop()
    try:
        with (
            pytest.raises(StoreError, match=r"results database postgresql.*refused"),
            told_as_store_errors(new_postgres_url),
        ):
            started(storage)
    finally:
        postgres.start()
    close_storage(storage)


def test_a_lock_that_stays_is_an_error_with_its_file(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optuna_storage, "BUSY_SECONDS", 0.01)
    storage = open_storage(store.place)
    study = open_study(storage, "night", METRICS["rmse"])
    with (
        store._writing(),
        pytest.raises(StoreError, match=r"results\.db: database is locked"),
        told_as_store_errors(store.place),
    ):
        study.tell(study.ask(), 1.0)
    close_storage(storage)
