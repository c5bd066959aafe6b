"""No other machine reaches the Ray that a sweep starts; signals and priority are the program's."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
import ray

from pdf_search.signals import begin_handling, receiving
from pdf_search.sweep.tune.ray_session import ray_session
from pdf_search.sweep.tune.surroundings import TOKEN

LISTENS = "0A"
LOOPBACK = ("0100007F", "0" * 24 + "01000000", "0" * 16 + "FFFF0000" + "0100007F")
pytestmark = [
    pytest.mark.ray,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning"),
]


def number_and_priority() -> tuple[int, int]:
    return os.getpid(), os.getpriority(os.PRIO_PROCESS, 0)


def processes() -> list[Path]:
    """Those of the session, which alone have its token, and this one."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            words = (place / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"RAY_AUTH_TOKEN={TOKEN}".encode() in words or place.name == str(os.getpid()):
            found.append(place)
    return found


def listening(place: Path) -> set[str]:
    """The addresses at which a process listens, as Linux writes them."""
    try:
        handles = {str(handle.readlink()) for handle in (place / "fd").iterdir()}
        tables = [(place / "net" / name).read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    except OSError:
        return set()
    rows = [line.split() for table in tables for line in table]
    own = [row for row in rows if row[3] == LISTENS and f"socket:[{row[9]}]" in handles]
    return {row[1].partition(":")[0] for row in own}


def test_ray_listens_on_loopback_alone_and_leaves_sigterm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    monkeypatch.delenv("RAY_worker_niceness", raising=False)
    received: list[int] = []
    told: list[str] = []
    own = ray._raylet.CoreWorker

    def terminated(*words: object) -> object:
        made = own(*words)  # from here on Ray would handle SIGTERM itself, in any thread
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1.0)
        return made

    def handle(number: int, _: object) -> None:
        begin_handling()
        received.append(number)

    monkeypatch.setattr(ray._raylet, "CoreWorker", terminated)
    with receiving(handle):
        with ray_session(1, 0, None, tmp_path / "sweep.log", told.append):
            assert told[-1].startswith("starting Ray; a worker's first epoch takes longer, ")
            assert received == [signal.SIGTERM]
            number, priority = ray.get(ray.remote(number_and_priority).remote())
            found = {place.name: listening(place) for place in processes()}
        time.sleep(3.0)  # Ray would abort by now
        signal.raise_signal(signal.SIGTERM)  # at its end Ray sets the default, which is to die
        assert received == [signal.SIGTERM] * 2
    assert "SIGTERM received" not in "".join(capfd.readouterr())
    assert found[str(number)]
    assert priority == os.getpriority(os.PRIO_PROCESS, 0)
    assert len(found) > 3  # the raylet, its agents, the control store
    assert not {address for own in found.values() for address in own} - set(LOOPBACK)
