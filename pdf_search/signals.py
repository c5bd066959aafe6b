"""The signals that end a run, how a handler is set for them, and the exit code after them."""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
ALL = (signal.SIGINT, *ENDING)
IMPORTING = "<frozen importlib._bootstrap>"  # the file of frames in which a module is imported

Handler = Callable[[int, FrameType | None], Any]
_last_words: list[Callable[[], str]] = []
_in_program: list[bool] = []  # empty where this is a library


class Interrupted(KeyboardInterrupt):
    """An interrupt that knows its signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Interrupting:
    """A handler that raises ``Interrupted``. In the program, a second signal ends the process."""

    def __init__(self) -> None:
        self.raised = False

    def __call__(self, number: int, frame: FrameType | None) -> NoReturn:
        """Raise ``Interrupted``.

        Where the program imports a module, the process ends instead: compiled modules turn what is
        raised while they are imported into an error of their own, or print it.
        """
        begin_handling()
        again, self.raised = self.raised, True
        if _in_program and (again or _imports(frame)):
            leave(number)
        raise Interrupted(number)


def _imports(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != IMPORTING:
        frame = frame.f_back
    return frame is not None


def begin_program() -> None:
    """Let the signals end the process at once, until a verb runs, and after it.

    The program calls this first, before its other imports. Nothing of it is done in a library.
    """
    _in_program.append(True)
    receive(leave)
    sys.unraisablehook = _leave_if_lost


def end_program(ending: SystemExit) -> NoReturn:
    """End the process as ``ending`` says, once what is registered for its end has run.

    The interpreter's own end is left out: in it signals have their default effects, and compiled
    modules of others may crash.
    """
    if not isinstance(ending.code, int | None):
        raise ending
    atexit._run_exitfuncs()  # noqa: SLF001
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()
    os._exit(ending.code or 0)


def leave(number: int, _frame: FrameType | None = None) -> NoReturn:
    """A handler that ends the process at once, after its last words.

    Nothing is cleaned up: what is on disk is as after a kill, which is whole, and locks are the
    system's.
    """
    begin_handling()
    words = "interrupted"
    with suppress(Exception):
        words = _last_words[-1]()
    with suppress(OSError):  # not `print`, which may be what the signal came into
        os.write(2, f"{words}\n".encode())
    os._exit(exit_code(number))


def _leave_if_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """End the process where an interrupt was raised in vain.

    Python drops what is raised in a finaliser, or in a callback of a compiled module.
    """
    if isinstance(unraisable.exc_value, Interrupted):
        leave(unraisable.exc_value.number)
    sys.__unraisablehook__(unraisable)


@contextmanager
def last_words(words: Callable[[], str]) -> Iterator[None]:
    """What ``leave`` says if the process ends within the block."""
    _last_words.append(words)
    try:
        yield
    finally:
        _last_words.pop()


def begin_handling() -> None:
    """What a handler does before anything else.

    What is printed goes nowhere from now on where it would go to a terminal that is closed, since
    writing to it is an error. If a handler of Ray's compiled part was called before ours, the abort
    is called off that it ordered for three seconds later.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(0)
    for stream in (1, 2):
        try:
            os.tcgetpgrp(stream)
        except OSError as error:
            if error.errno == errno.EIO:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream)
                os.close(nowhere)


def exit_code(signalled: KeyboardInterrupt | int) -> int:
    """The exit code after an interrupt or a signal, as shells give it; 130 for Ctrl-C."""
    if isinstance(signalled, int):
        return 128 + signalled
    return 128 + getattr(signalled, "number", signal.SIGINT)


def receive(handler: Handler) -> None:
    """Set ``handler`` for all of these signals. Call it in the main thread only.

    A signal that the process ignores stays ignored, such as SIGHUP under nohup. SIGINT (Ctrl-C) is
    handled in any case.
    """
    for number in ALL:
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


@contextmanager
def receiving(handler: Handler) -> Iterator[None]:
    """Set ``handler`` within the block, as ``receive`` does, and restore the old ones after it.

    Outside the main thread nothing is set.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = {number: signal.getsignal(number) for number in ALL}
    try:
        receive(handler)
        yield
    finally:
        _set(old)


@contextmanager
def held(numbers: Iterable[signal.Signals] = ALL) -> Iterator[None]:
    """Hold signals back within the block, and set the handlers anew before they are received.

    For a library that sets handlers of its own, in C too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in ALL}
    can_hold = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers) if can_hold else set()
    try:
        yield
    finally:
        _set(handlers)
        if can_hold:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _set(handlers: dict[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        if handler is not None:  # one that was not set from Python
            signal.signal(number, handler)
