"""SIGTERM and a hang-up outside a run: the program ends as by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator

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
