"""SIGTERM and a hang-up outside a run: the program ends as by Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from pdf_search.cli.app import _receive_signals

ENDS = [signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    # The tests themselves may run under nohup.
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDS)
def test_they_are_interrupts(number: signal.Signals) -> None:
    _receive_signals()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


@pytest.mark.parametrize("number", ENDS)
def test_what_is_ignored_stays_ignored(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)  # as nohup does
    _receive_signals()
    signal.raise_signal(number)
