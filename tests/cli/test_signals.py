"""SIGTERM and a hang-up outside a run: the program ends as by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from pdf_search.cli.app import main
from pdf_search.signals import ENDING, receive


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    # The tests themselves may run under nohup.
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING)
def test_they_are_interrupts(number: signal.Signals) -> None:
    receive(signal.default_int_handler, ENDING)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def test_the_program_receives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["pdf-search", "--version"])
    monkeypatch.setenv("MPLBACKEND", "agg")  # which it sets
    with pytest.raises(SystemExit):
        main()
    assert [signal.getsignal(number) for number in ENDING] == [signal.default_int_handler] * 2


@pytest.mark.parametrize("number", ENDING)
def test_what_is_ignored_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)  # as nohup does
    receive(signal.default_int_handler, ENDING)
    signal.raise_signal(number)
