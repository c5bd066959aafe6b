"""SIGTERM and a hang-up outside a run: the program ends as by Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.cli.app import main
from pdf_search.signals import ENDING, exit_code, interrupt, receive


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    # The tests themselves may run under nohup.
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING)
def test_they_are_interrupts(number: signal.Signals) -> None:
    receive(interrupt, ENDING)
    with pytest.raises(KeyboardInterrupt) as raised:
        signal.raise_signal(number)
    assert exit_code(raised.value) == exit_code(number) == 128 + number
    assert exit_code(KeyboardInterrupt()) == 130


def test_the_program_receives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["pdf-search", "--version"])
    monkeypatch.setenv("MPLBACKEND", "agg")  # which it sets
    with pytest.raises(SystemExit):
        main()
    assert [signal.getsignal(number) for number in ENDING] == [interrupt] * 2


@pytest.mark.parametrize("number", ENDING)
def test_what_is_ignored_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)  # as nohup does
    receive(interrupt, ENDING)
    signal.raise_signal(number)


@pytest.mark.parametrize("leaves", [True, False])
def test_printing_to_a_terminal_that_was_closed_is_no_error(leaves: bool) -> None:
    master, terminal = pty.openpty()
    script = "import sys; sys.stdin.read()\n"
    if leaves:
        script += "from pdf_search.signals import leave_closed_terminal as leave; leave()\n"
    command = [sys.executable, "-c", f"{script}print('the end')"]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=terminal, env=env) as printing:
        os.close(terminal)
        os.close(master)
    assert printing.returncode == 0 if leaves else printing.returncode
