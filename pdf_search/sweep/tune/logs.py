"""Sends the messages of Ray and Optuna to the sweep's log file instead of the terminal."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from pdf_search.sweep.tune.ray_internals import replaced

LEVELS = {
    "ray": logging.WARNING,  # of each phase and folder it tells that all went well
    "optuna": logging.INFO,
    "pdf_search.sweep": logging.INFO,
}
# Of Ray, what tells a user nothing: at its end it looks for the results that it would have written
# itself and finds none, since they are in the database; on a busy machine its driver is slow.
NOISE = ("Failed to fetch metrics", "may be a performance bottleneck")


@contextmanager
def logging_to(file: Path) -> Iterator[None]:
    """Send the loggers of a sweep to a file inside a ``with`` block, and restore them after."""
    handler = _LogFile(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(lambda record: not any(text in record.getMessage() for text in NOISE))
    loggers = [logging.getLogger(name) for name in LEVELS]
    before = [(item.handlers[:], item.propagate, item.level) for item in loggers]
    for item, level in zip(loggers, LEVELS.values(), strict=True):
        item.handlers, item.propagate = [handler], False
        item.setLevel(level)
    try:
        with _raylet_to_log():
            yield
    finally:
        for item, (handlers, propagate, level) in zip(loggers, before, strict=True):
            item.handlers, item.propagate = handlers, propagate
            item.setLevel(level)
        with suppress(OSError):  # a full disk
            handler.close()


class _LogFile(logging.FileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's)
        """Say nothing: what cannot be logged, on a full disk, is no error of its own."""


def _raylet_to_log() -> AbstractContextManager[None]:
    # Ray prints the raylet's errors on standard output even with log_to_driver=False.
    log = logging.getLogger("ray")

    def print_to_log(data: dict[str, Any], *_: Any, **__: Any) -> None:
        for line in data["lines"]:
            log.warning("raylet: %s", line)

    return replaced(
        "ray._private.worker",
        "print_to_stdstream",
        lambda _: print_to_log,
        log.warning,
        "errors of its raylet are printed, not logged",
    )


@contextmanager
def standard_error_kept() -> Iterator[IO[str]]:
    """A file into which standard error goes inside a ``with`` block.

    Ray's compiled part writes there whatever its settings are.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as kept:
        before = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield kept
        finally:
            os.dup2(before, 2)
            os.close(before)
