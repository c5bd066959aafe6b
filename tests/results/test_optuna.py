"""Optuna's tables beside ours in one database file."""

import warnings

import pytest

from pdf_search.records import Phase
from pdf_search.results import Store
from tests.results.samples import epoch, sweep, trial

optuna = pytest.importorskip("optuna")


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
        storage.remove_session()
        storage.engine.dispose()
        again = optuna.load_study(study_name="night", storage=f"sqlite:///{store.place}")
        assert [t.value for t in again.trials] == [0.0, 1.0, 2.0]
        again._storage.remove_session()
        again._storage._backend.engine.dispose()
    assert [t.params["x"] for t in store.trials("night")] == [t.params["x"] for t in again.trials]
    assert len(store.all_epochs("night", Phase.SEARCH)) == 3
    with store._reading() as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        names = set(connection.exec_driver_sql(query).scalars())
    assert {"trials", "studies", "version_info", "alembic_version", "pdf_trial"} <= names


def test_our_tables_join_a_database_that_optuna_made(tmp_path: object) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    storage = optuna.storages.RDBStorage(url)
    storage.engine.dispose()
    with Store(url) as store:
        store.create_sweep(sweep())
        assert store.sweep("night") == sweep()
