import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.results import Store
from tests.results.postgres import Server, run_server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        yield store


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(found[-1]) if found else None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed: no initdb")
    pytest.importorskip("psycopg", reason="the extra pdf-search[postgresql] is not installed")
    with run_server(Path(initdb).resolve().parent) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres: Server) -> str:
    return postgres.url


@pytest.fixture
def new_postgres_url(postgres_url: str) -> str:
    """A database without tables, of this test alone."""
    psycopg = pytest.importorskip("psycopg")
    name = f"new_{secrets.token_hex(4)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres_url.rpartition('/')[0]}/{name}"
