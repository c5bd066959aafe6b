"""The lock of a sweep's folder: who holds it, also where the folder may only be read."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from pdf_search.errors import ConfigError
from pdf_search.runs import is_locked, locked


def forbid_writing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let no lock be opened to write, as in the folder of another user; root could."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, "may not be written")

    monkeypatch.setattr(FileLock, "acquire", refuse)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_folder_that_may_only_be_read_says_whether_a_process_runs_its_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with locked(tmp_path):
        with monkeypatch.context() as patched:
            forbid_writing(patched, number)
            assert is_locked(tmp_path)
        assert is_locked(tmp_path)
    assert not is_locked(tmp_path)
    forbid_writing(monkeypatch, number)
    assert not is_locked(tmp_path)
    assert not is_locked(tmp_path)  # the look left no lock of its own


def test_a_folder_that_another_can_look_at_is_still_free_to_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with locked(tmp_path):
        pass
    with monkeypatch.context() as patched:
        forbid_writing(patched, errno.EACCES)
        assert not is_locked(tmp_path)
    with locked(tmp_path):
        assert is_locked(tmp_path)


@pytest.mark.parametrize(
    ("make", "remedy"),
    [
        (lambda folder: folder.mkdir(), "sweep: cannot be written to (may not be written). Make"),
        (lambda _: None, "(may not be written). Name another place"),
    ],
)
def test_the_remedy_is_another_out_only_for_a_sweep_that_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], remedy: str
) -> None:
    folder = tmp_path / "sweep"
    make(folder)
    forbid_writing(monkeypatch, errno.EACCES)
    with pytest.raises(ConfigError) as caught, locked(folder):
        pass
    assert remedy in str(caught.value)
    assert ("--out" in str(caught.value)) == ("Name a" in remedy)
