"""Ends processes of Ray that outlive the driver. It is run by itself, and imports nothing of ours.

Ray's agents try for more than a minute to tell a driver that is gone that their raylet has ended.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

PATIENCE = 5.0  # seconds in which Ray's processes end by themselves


def main() -> None:
    """Read numbers of sessions until standard input is closed, then end what is left of them.

    The driver closes it when it ends, in whatever way.
    """
    sessions: dict[int, str] = {}
    for line in sys.stdin:
        sessions[int(line)] = _started(int(line))
    until = time.monotonic() + PATIENCE
    while _members(sessions) and time.monotonic() < until:
        time.sleep(0.1)
    for number in _members(sessions):
        os.kill(number, signal.SIGKILL)


def _members(sessions: dict[int, str]) -> list[int]:
    """The processes in these sessions. A number that was given to a new process is left out."""
    ours = {n for n, started in sessions.items() if _started(n) in (started, "")}
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [number for number in numbers if _session(number) in ours]


def _session(number: int) -> int:
    """The session of a process; 0 if there is none, or it has ended."""
    words = _stat(number)
    return int(words[3]) if words and words[0] != "Z" else 0


def _started(number: int) -> str:
    """When a process was started, in the system's own unit; "" if there is none."""
    words = _stat(number)
    return words[19] if words else ""


def _stat(number: int) -> list[str]:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


if __name__ == "__main__":
    main()
