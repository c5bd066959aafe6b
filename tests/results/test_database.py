import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from pdf_search.errors import StoreError
from pdf_search.records import Phase
from pdf_search.results import Store
from pdf_search.results.database import (
    Patience,
    open_engine,
    parse_url,
    told_as_store_error,
    transaction,
)
from pdf_search.results.migrations import STEPS, migrate, stored_version
from tests.results.samples import epoch, sweep, trial


def test_sqlite_runs_with_wal_and_foreign_keys(store: Store) -> None:
    with store._reading() as connection:
        for pragma, value in (
            ("journal_mode", "wal"),
            ("foreign_keys", 1),
            ("busy_timeout", 30000),
        ):
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value


def test_a_reader_of_a_missing_file_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no results database at .*absent\.db"):
        Store(f"sqlite:///{tmp_path / 'absent.db'}", create=False)
    assert not (tmp_path / "absent.db").exists()


def test_the_folder_of_a_new_file_is_made(tmp_path: Path) -> None:
    Store(str(tmp_path / "runs" / "night" / "results.db")).close()
    assert (tmp_path / "runs" / "night" / "results.db").is_file()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all, but long enough to have a header " * 20)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"notes.txt: file is not a database; .*--db"):
        Store(str(path))
    assert path.read_bytes() == before


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        Store(str(tmp_path))


def test_a_database_without_our_tables_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trials (trial_id INTEGER)")
    connection.close()
    with pytest.raises(StoreError, match="holds no results of pdf_search"):
        Store(str(path), create=False)


@pytest.mark.parametrize(
    ("url", "message"),
    [("mysql://host/db", "'mysql' is not supported"), ("://", "cannot be read")],
)
def test_a_url_that_cannot_be_used_is_refused(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        Store(url)


def test_postgresql_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install 'pdf-search\[postgresql\]'"):
        Store("postgresql://host/db")


def test_a_server_that_refuses_is_named_without_the_password_and_with_a_remedy() -> None:
    pytest.importorskip("psycopg", reason="the extra pdf-search[postgresql] is not installed")
    with pytest.raises(StoreError) as caught:
        Store("postgresql://me:secret@127.0.0.1:1/db")
    message = str(caught.value)
    assert message.startswith("results database postgresql://me:***@127.0.0.1:1/db: connection")
    assert message.endswith("; start the server, or name its host and port in --db")
    assert "secret" not in message


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ('FATAL:  database "a b" does not exist', "make it with createdb, or name another"),
        ('FATAL:  role "me" does not exist', "name a user of the server"),
        ('FATAL:  password authentication failed for user "me"', "check user and password"),
        ("failed to resolve host 'nohost': Name or service not known", "correct the host"),
        ("permission denied for schema public", "have its owner let this user make tables"),
        ("FATAL:  sorry, too many clients already", "check that the server runs and takes"),
    ],
)
def test_each_refusal_of_a_server_has_its_remedy(said: str, remedy: str) -> None:
    error = sa.exc.OperationalError("SELECT 1", None, Exception(f"connection failed: {said}"))
    message = str(told_as_store_error(error, parse_url("postgresql://me:secret@host/db")))
    begins = f"results database postgresql://me:***@host/db: connection failed: {said}; {remedy}"
    assert message.startswith(" ".join(begins.split()))


def test_a_locked_database_says_so(store: Store) -> None:
    store.create_sweep(sweep())
    with store._writing(), Store(str(store.place), busy_seconds=0.05) as other:
        with pytest.raises(StoreError, match="database is locked; another process"):
            other.update_sweep("night", trials=5)
        assert other.sweep("night") == sweep()


def test_a_driver_waits_for_a_database_that_is_locked_and_says_so_once(store: Store) -> None:
    store.create_sweep(sweep())
    said: list[str] = []
    held = ExitStack()
    with held, Store(str(store.place), busy_seconds=0.05) as driver:
        held.enter_context(store._writing())

        def say(line: str) -> None:
            said.append(line)
            held.close()

        driver.patience = Patience(say, 30.0, pause=0.05)
        driver.update_sweep("night", trials=5)
        driver.wait()
    assert store.sweep("night").trials == 5
    assert len(said) == 1
    assert said[0].startswith(f"waiting up to 30 s for the results database {store.place}: ")
    assert "database is locked" in said[0]


def test_its_patience_ends(store: Store) -> None:
    store.create_sweep(sweep())
    said: list[str] = []
    with store._writing(), Store(str(store.place), busy_seconds=0.05) as driver:
        driver.patience = Patience(said.append, 0.2, pause=0.05)
        with pytest.raises(StoreError, match="database is locked"):
            driver.update_sweep("night", trials=5)
    assert len(said) == 1


def _lose(store: Store) -> None:
    """From now on every transaction finds its connection closed, as if the server were gone."""

    def close(connection: sa.Connection) -> None:
        connection.connection.driver_connection.close()  # type: ignore[union-attr]

    sa.event.listen(store._engine, "begin", close, insert=True)


def test_a_lost_connection_is_not_taken_for_an_empty_database(store: Store) -> None:
    store.create_sweep(sweep())
    store.save_trial(trial())
    _lose(store)
    reads: tuple[Callable[[], object], ...] = (
        store.sweeps,
        lambda: store.sweep("night"),
        lambda: store.trials("night"),
        lambda: store.epochs("night", Phase.SEARCH, 0),
        lambda: store.all_epochs("night", Phase.SEARCH),
    )
    for read in reads:
        with pytest.raises(StoreError, match=r"results\.db: Cannot operate on a closed database"):
            read()
    with Store(str(store.place), create=False) as again:
        assert again.trials("night") == [trial()]


def test_a_lost_connection_is_not_taken_for_a_database_without_our_tables(store: Store) -> None:
    connection = store._engine.connect()
    connection.connection.driver_connection.close()  # type: ignore[union-attr]
    with pytest.raises(sa.exc.ProgrammingError, match="closed database"):
        stored_version(connection)
    connection.invalidate()
    connection.close()


def test_a_newer_version_is_refused_with_the_remedy(store: Store) -> None:
    with store._writing() as connection:
        connection.exec_driver_sql("UPDATE pdf_schema SET version = 99")
    for create in (True, False):
        with pytest.raises(StoreError, match=r"version 99 .*pip install --upgrade"):
            Store(store.place, create=create)


def _add_column(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE pdf_sweep ADD COLUMN owner TEXT DEFAULT 'nobody'")


def _fail(_connection: sa.Connection) -> None:
    raise RuntimeError("broken step")


def test_an_older_version_migrates_forward_step_by_step(store: Store) -> None:
    store.create_sweep(sweep())
    with store._writing() as connection:
        migrate(connection, [*STEPS, _add_column])
    with store._writing() as connection:
        migrate(connection, [*STEPS, _add_column])
        assert stored_version(connection) == 2 + len(STEPS)
        query = "SELECT name, owner FROM pdf_sweep"
        assert connection.exec_driver_sql(query).all() == [("night", "nobody")]


def test_reruns_that_a_sweep_counted_among_its_trials_are_taken_out(store: Store) -> None:
    for name in ("night", "day"):
        store.create_sweep(replace(sweep(name), trials=4))
    for number, (phase, origin) in enumerate(
        [(Phase.SEARCH, "rerun of 0"), (Phase.SEARCH, "sampled"), (Phase.CONFIRM, "rerun of 1")]
    ):
        store.save_trial(replace(trial(), number=number, phase=phase, origin=origin))
    with store._writing() as connection:
        connection.exec_driver_sql("UPDATE pdf_schema SET version = 6")
        migrate(connection)
    assert [store.sweep(name).trials for name in ("night", "day")] == [3, 4]


@pytest.fixture
def version_1(tmp_path: Path) -> Path:
    """A database as version 1 wrote it, with a trial of two epochs."""
    file = tmp_path / "old" / "results.db"
    file.parent.mkdir()
    connection = sqlite3.connect(file)
    connection.executescript((Path(__file__).parent / "version_1.sql").read_text())
    connection.close()
    return file


def test_the_first_version_of_a_database_is_read_and_continued(version_1: Path) -> None:
    with Store(str(version_1), create=False) as old:
        assert old.sweep("night") == sweep()
        (known,) = old.trials("night")
        assert known == trial()
        assert (known.by_target, known.importance, known.perturbations) == (None, None, None)
        found = old.epochs("night", Phase.SEARCH, 0)
        assert [report.part_seconds for report in found] == [{}, {}]
        assert [item.valid for item in found[0].replicates] == [0.5, 0.4]
        timed = replace(epoch(3, [0.4]), part_seconds={"train": 0.4, "valid": 0.1})
        old.add_epoch("night", Phase.SEARCH, 0, timed)
        measured = replace(
            known,
            by_target={"test": {"values": [[0.5, None]], "n": [[3, 0]]}},
            importance={"grid": [[-0.1, 2]]},
        )
        old.save_trial(measured)
    with Store(str(version_1), create=False) as again:
        assert again.epochs("night", Phase.SEARCH, 0)[2] == timed
        assert again.trials("night") == [measured]


def test_a_migrated_database_has_the_columns_of_a_new_one(store: Store, version_1: Path) -> None:
    with Store(str(version_1), create=False) as old:
        assert _columns(old) == _columns(store)


def _columns(store: Store) -> dict[str, set[str]]:
    with store._reading() as connection:
        known = sa.inspect(connection)
        return {
            table: {column["name"] for column in known.get_columns(table)}
            for table in known.get_table_names()
        }


def test_a_deleted_sweep_leaves_nothing_and_others_stay(store: Store) -> None:
    for name in ("night", "day"):
        store.create_sweep(sweep(name))
        store.save_trial(trial(sweep=name))
        store.add_epoch(name, Phase.SEARCH, 0, epoch(1, [0.5]))
    store.delete_sweep("night")
    assert [found.name for found in store.sweeps()] == ["day"]
    assert len(store.epochs("day", Phase.SEARCH, 0)) == 1
    with store._reading() as connection:
        for table in ("pdf_trial", "pdf_epoch", "pdf_replicate"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 1
    with pytest.raises(StoreError, match="no sweep named 'night'"):
        store.delete_sweep("night")


def test_a_migration_that_fails_leaves_nothing_behind(store: Store) -> None:
    with pytest.raises(RuntimeError, match="broken"), store._writing() as connection:
        migrate(connection, [*STEPS, _add_column, _fail])
    with store._reading() as connection:
        assert stored_version(connection) == 1 + len(STEPS)
        columns = {column["name"] for column in sa.inspect(connection).get_columns("pdf_sweep")}
    assert "owner" not in columns


def test_two_first_openings_at_once_agree(tmp_path: Path) -> None:
    errors: list[Exception] = []

    def first_opening() -> None:
        try:
            Store(str(tmp_path / "results.db")).close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=first_opening) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    engine = open_engine(parse_url(str(tmp_path / "results.db")))
    with transaction(engine, writes=False) as connection:
        assert connection.exec_driver_sql("SELECT version FROM pdf_schema").all() == [
            (1 + len(STEPS),)
        ]
    engine.dispose()


def test_a_first_opening_waits_for_another_one(tmp_path: Path) -> None:
    file = tmp_path / "results.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE held (x)")
    threading.Timer(0.3, lambda: other.execute("ROLLBACK")).start()
    with Store(str(file)) as store:
        assert store.sweeps() == []
    other.close()
    held = sqlite3.connect(file, isolation_level=None)
    held.execute("PRAGMA journal_mode = DELETE")
    held.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="database is locked; another process writes to it"):
        Store(str(file), busy_seconds=0.1)
    held.close()


def test_readers_read_while_the_driver_writes(store: Store) -> None:
    store.create_sweep(sweep())
    store.save_trial(trial())
    seen: list[int] = []
    with Store(store.place, create=False) as reader:
        for number in range(1, 6):
            with store._writing() as connection:
                connection.exec_driver_sql("UPDATE pdf_sweep SET trials = trials + 1")
                seen.append(len(reader.epochs("night", Phase.SEARCH, 0)))
            store.add_epoch("night", Phase.SEARCH, 0, epoch(number, [1.0, 2.0]))
        assert len(reader.epochs("night", Phase.SEARCH, 0)) == 5
    assert seen == [0, 1, 2, 3, 4]


def test_a_finished_database_is_read_from_a_folder_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "odd # name %41" / "results.db"
    with Store(str(path)) as store:
        store.create_sweep(sweep())
    path.chmod(0o444)
    path.parent.chmod(0o555)
    monkeypatch.setattr("os.access", lambda *_: False)  # what anyone but root is answered
    with Store(str(path), create=False) as reader:
        assert reader.sweep("night") == sweep()
        with pytest.raises(StoreError, match="may not be written"):
            reader.update_sweep("night", trials=5)
    assert [file.name for file in path.parent.iterdir()] == ["results.db"]
    path.parent.chmod(0o755)
