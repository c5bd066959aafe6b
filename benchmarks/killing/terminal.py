"""The program in a terminal of its own, as a person starts it, and what is left of it."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import signal
import sys
import termios
import time
from pathlib import Path

PROGRAM = [sys.executable, "-m", "pdf_search"]
MARK = "PDF_SEARCH_KILLED"  # environment variable that all processes of a command have
CTRL_C = b"\x03"


class Terminal:
    """A command of the program in a pseudo-terminal; what it prints is kept in ``output``."""

    def __init__(self, words: list[str], mark: str, folder: Path) -> None:
        self.mark = f"{MARK}={mark}".encode()
        self.output = b""
        self.code: int | None = None
        self.number, self.screen = pty.fork()
        if not self.number:
            for number in (signal.SIGINT, signal.SIGHUP):  # ignored where this runs under nohup
                signal.signal(number, signal.SIG_DFL)
            os.chdir(folder)
            os.environ[MARK] = mark
            os.execv(PROGRAM[0], [*PROGRAM, *words])
        rows = b"\x28\x00\xc8\x00\x00\x00\x00\x00"  # 40 lines of 200 columns
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, rows)

    def runs(self, seconds: float) -> bool:
        """Read what is printed for some seconds; whether the command still runs then."""
        until = time.monotonic() + seconds
        while self.code is None and (left := until - time.monotonic()) > 0:
            self._read(min(left, 0.2))
            found, status = os.waitpid(self.number, os.WNOHANG)
            if found:
                self._read(0.0)
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is None

    def signal(self, how: str) -> None:
        """Send "SIGKILL", "SIGTERM" to the group, "Ctrl-C", or close the terminal ("SIGHUP")."""
        if how == "SIGKILL":
            os.kill(self.number, signal.SIGKILL)
        elif how == "SIGTERM":
            os.killpg(self.number, signal.SIGTERM)
        elif how == "Ctrl-C":
            os.write(self.screen, CTRL_C)
        else:
            self.close()

    def close(self) -> None:
        """Close the terminal."""
        if self.screen >= 0:
            os.close(self.screen)
            self.screen = -1

    def left(self) -> list[int]:
        """The processes that the command has started and that still run."""
        return [number for number in _processes() if self.mark in _environment(number)]

    def _read(self, seconds: float) -> None:
        if self.screen < 0:
            time.sleep(seconds)
            return
        while select.select([self.screen], [], [], seconds)[0]:
            seconds = 0.0
            try:
                found = os.read(self.screen, 2**16)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                found = b""  # the program has ended
            if not found:
                return
            self.output += found


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _environment(number: int) -> list[bytes]:
    """The environment of a process; empty where it has ended."""
    try:
        return Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
