"""No process of Ray outlives its driver, whatever ends that; here with other processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from pdf_search.sweep.tune import reaper
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux: it reads /proc")


@pytest.fixture
def pair() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two processes that wait for their child, each in a session of its own."""
    command = ["sh", "-c", "sleep 100 & wait"]
    started = [subprocess.Popen(command, start_new_session=True) for _ in range(2)]
    while any(len(members(process)) < 2 for process in started):
        time.sleep(0.05)
    yield started
    for process in started:
        for number in members(process):
            os.kill(number, signal.SIGKILL)
        process.wait()


def members(process: subprocess.Popen[bytes]) -> list[int]:
    return reaper._members({process.pid: reaper._started(process.pid)})


def test_what_is_left_of_a_session_is_ended_when_the_driver_is_gone(
    pair: list[subprocess.Popen[bytes]],
) -> None:
    ours, other = pair
    command = [sys.executable, "-I", "-S", reaper.__file__]
    ending = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
    assert ending.stdin is not None
    print(ours.pid, file=ending.stdin, flush=True)
    time.sleep(0.3)
    assert ending.poll() is None  # the driver is there
    ending.stdin.close()
    assert ending.wait(PATIENCE) == 0
    assert members(ours) == []
    assert len(members(other)) == 2


def test_a_number_that_was_given_to_another_process_is_left_alone(
    pair: list[subprocess.Popen[bytes]],
) -> None:
    assert reaper._members({pair[0].pid: "1"}) == []
