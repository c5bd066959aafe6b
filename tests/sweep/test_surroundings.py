"""Where Ray keeps its files and which variables it sees, whatever the environment holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.errors import ResourceError
from pdf_search.sweep.tune import surroundings as module
from pdf_search.sweep.tune.ray_session import _twice
from pdf_search.sweep.tune.surroundings import (
    LONGEST,
    LONGEST_SOCKET,
    NICENESS,
    ray_folder,
    surroundings,
)


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_TMPDIR", "TMPDIR", "RAY_ADDRESS", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A short folder in place of /tmp."""
    folder = Path("/tmp", f"s{os.getpid()}")
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr(module, "FALLBACKS", (str(folder),))
    yield folder
    folder.rmdir()


def test_a_session_s_longest_path_fits_into_a_socket_s() -> None:
    session = "session_2026-11-28_14-05-33_123456_4194304"  # with the largest process number
    assert len(f"{'x' * LONGEST}/ray/{session}/sockets/plasma_store") <= LONGEST_SOCKET


@pytest.mark.parametrize("name", ["TMPDIR", "RAY_TMPDIR"])
@pytest.mark.parametrize(
    ("folder", "problem"),
    [
        ("/proc/self/" + "long/" * 20, "is too long for Ray's sockets"),
        ("/proc/nowhere", "is not a folder"),
        ("/proc", "cannot be written"),
        ("relative", "is not a whole path"),
        ("/tmp/a b#", "has signs in its name"),
    ],
)
def test_another_folder_is_taken_and_told(
    monkeypatch: pytest.MonkeyPatch, short: Path, name: str, folder: str, problem: str
) -> None:
    monkeypatch.setenv(name, folder)
    chosen, note = ray_folder()
    assert chosen == short / "ray"
    assert note.startswith(f"{name} {folder} {problem}")
    assert str(short) in note


def test_the_usual_folder_needs_no_word(monkeypatch: pytest.MonkeyPatch, short: Path) -> None:
    assert ray_folder() == (short / "ray", "")
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert ray_folder() == (Path("/tmp/ray"), "")


def test_no_folder_at_all_names_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FALLBACKS", ("/proc/a", "/proc/b"))
    monkeypatch.setenv("TMPDIR", "/proc/c")
    with pytest.raises(ResourceError, match=r"TMPDIR /proc/c is not a folder.*set RAY_TMPDIR"):
        ray_folder()


def test_another_project_s_variables_are_put_aside_and_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = {
        "RAY_ADDRESS": "10.0.0.1:6379",
        "TUNE_RESULT_DIR": "/their/results",
        "RAY_AIR_LOCAL_CACHE_DIR": "/their/cache",
        "RAY_CHDIR_TO_TRIAL_DIR": "1",
        "RAY_AIR_NEW_OUTPUT": "1",
        "RAY_grpc_enable_http_proxy": "1",
    }
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with surroundings(None):
        assert not {"RAY_ADDRESS", "TUNE_RESULT_DIR", "RAY_AIR_LOCAL_CACHE_DIR"} & set(os.environ)
        for name in list(theirs)[3:]:
            assert os.environ[name] == "0"
        assert os.environ["RAY_AUTH_TOKEN"]
    assert dict(os.environ) == before
    with surroundings("auto"):
        assert os.environ["RAY_ADDRESS"] == "10.0.0.1:6379"


def test_trials_have_the_program_s_priority_unless_the_user_sets_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (name,) = NICENESS
    monkeypatch.delenv(name, raising=False)
    with surroundings(None):
        assert os.environ[name] == "0"
    assert name not in os.environ
    monkeypatch.setenv(name, "10")
    with surroundings(None):
        assert os.environ[name] == "10"
    assert os.environ[name] == "10"


def test_a_slow_start_is_tried_once_more_and_nothing_else_is() -> None:
    tried: list[str] = []
    said: list[str] = []

    def start(message: str) -> None:
        tried.append(message)
        if len(tried) == 1:
            raise Exception(message)

    _twice(lambda: start("The current node timed out during startup."), said.append)
    assert (len(tried), len(said)) == (2, 1)
    tried.clear()
    with pytest.raises(Exception, match="no space"):
        _twice(lambda: start("no space left"), said.append)
    assert (len(tried), len(said)) == (1, 1)


def test_sessions_of_one_process_have_one_token() -> None:
    """Ray reads its token once: a second session with another one is refused by its own server."""
    tokens = []
    for _ in range(2):
        with surroundings(None):
            tokens.append(os.environ["RAY_AUTH_TOKEN"])
    assert tokens[0] == tokens[1]


def test_a_folder_of_another_user_is_left_to_them(
    monkeypatch: pytest.MonkeyPatch, short: Path
) -> None:
    """Root may write it all the same, so what the check says is said here."""
    theirs, own = short / "ray", short / f"ray-{os.getuid()}"
    theirs.mkdir()
    assert ray_folder() == (theirs, "")
    monkeypatch.setattr(
        module, "why_not_writable", lambda p: "Permission denied" if p == theirs else ""
    )
    note = f"{theirs} is another user's (Permission denied): Ray's temporary files go to {own}"
    assert ray_folder() == (own, note)
    theirs.rmdir()
