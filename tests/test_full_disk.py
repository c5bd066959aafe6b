"""A full disk is told with its path and bytes, interrupts what runs, and loses nothing."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from pdf_search.errors import DataError, ResourceError
from pdf_search.full_disk import free_bytes, full_words, is_full, told
from pdf_search.records import State
from pdf_search.results import Store
from pdf_search.results.database import transaction
from pdf_search.sweep.tune import storage, trainable
from pdf_search.sweep.tune.payload import DATA, LEFT, RESUME, TRIAL, unpack_end

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "full_disk.py"
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def by_torch() -> None:
    torch.save({"weights": torch.zeros(100_000)}, "/dev/full")


def by_sqlite() -> None:
    with Store("sqlite://") as store, transaction(store._engine, writes=True) as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
        connection.exec_driver_sql("CREATE TABLE large AS SELECT zeroblob(100000) AS bytes")


def by_python() -> None:
    try:
        Path("/dev/full").write_text("text")
    except OSError as error:
        raise DataError("the bank cannot be written") from error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("write", [by_torch, by_sqlite, by_python])
def test_whoever_says_it_is_understood(write: Any) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        write()
    assert is_full(caught.value)


def test_other_errors_are_not_taken_for_it() -> None:
    assert not is_full(PermissionError(errno.EACCES, "Permission denied"))
    assert not is_full(None)
    assert told(PermissionError(13, "Permission denied"), "/") == "[Errno 13] Permission denied"


def test_the_message_has_the_fullest_place_and_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert free_bytes(tmp_path / "not" / "there") == pytest.approx(free_bytes(tmp_path), abs=1e9)
    left = {"/data": 5_120, "/tmp": 9_000_000}
    monkeypatch.setattr("pdf_search.full_disk.free_bytes", lambda place: left[str(place)])
    assert full_words("/tmp", "/data") == "the disk of /data is full (5,120 bytes are free)"
    assert told(FULL, "/data") == "the disk of /data is full (5,120 bytes are free)"


def bank_is_not_written(_: object) -> Any:
    try:
        raise FULL
    except OSError as error:
        raise DataError(f"the bank cannot be written to /cache ({told(error, '/')})") from None


def checkpoint_is_not_written(_: object) -> Any:
    raise FULL


@pytest.mark.parametrize("gpus", [0.0, 1.0])
@pytest.mark.parametrize("write", [bank_is_not_written, checkpoint_is_not_written])
def test_a_worker_is_interrupted_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpus: float, write: Any
) -> None:
    def trains(*_: object) -> Any:
        write(None)

    said: list[dict[str, Any]] = []
    place = SimpleNamespace(storage_fs_path=str(tmp_path))
    monkeypatch.setattr(trainable.tune, "report", said.append)
    monkeypatch.setattr(
        trainable.tune, "get_context", lambda: SimpleNamespace(get_storage=lambda: place)
    )
    monkeypatch.setattr(trainable, "prepare_process", lambda _: None)
    monkeypatch.setattr(trainable, "_device", lambda *_: "cpu")
    monkeypatch.setattr(trainable, "_data", lambda _: SimpleNamespace())
    monkeypatch.setattr(trainable, "replace", lambda data, **_: data)
    monkeypatch.setattr(
        trainable,
        "parse_trial",
        lambda _: SimpleNamespace(epochs=2, precision="float32", content_hash=lambda: ""),
    )
    shared = trainable.Shared({"": ""}, 1, gpus, 1.0, function=trains)
    trainable.train({TRIAL: "{}", RESUME: "", DATA: "", LEFT: 1.0}, shared)
    outcome = unpack_end(said[-1])
    assert outcome is not None
    assert outcome.state is State.INTERRUPTED
    assert "is full (" in outcome.message
    assert ("/cache" in outcome.message) == (write is bank_is_not_written)


def test_a_sweep_does_not_begin_where_checkpoints_do_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes: list[str] = []

    def check(free: int, where: str = "/runs") -> None:
        monkeypatch.setattr(storage, "free_bytes", lambda _: free)
        monkeypatch.setattr("pdf_search.full_disk.free_bytes", lambda _: free)
        storage.check_room(where, 1_000_000, 4, 50, notes.append)

    with pytest.raises(ResourceError, match=r"/runs has 19,999,999 bytes free.* need about 20,000"):
        check(19_999_999)
    check(0, "s3://bucket/runs")
    assert notes == []
    check(20_000_000)
    assert notes == [
        "note: the disk of /runs has 20,000,000 bytes free; checkpoints of 50 trials may need "
        "58,000,000"
    ]
    check(58_000_000)
    assert len(notes) == 1


@pytest.mark.skipif("os.geteuid() != 0", reason="root mounts a small disk")
def test_a_sweep_whose_disk_was_full_ends_as_any_other(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", tmp_path],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    words = ["--moments", "1", "--methods", "tpe+asha", "--json", tmp_path / "rows"]
    done = subprocess.run(
        [sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = json.loads((tmp_path / "rows").read_text())
    assert (row["moments"], row["wrong"]) == (1, 0)
