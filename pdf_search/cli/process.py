"""What the program needs of its process before a verb runs; as a library nothing of it is done."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from pdf_search.errors import ConfigError

INTERRUPTED = 130  # exit code after Ctrl-C, as shells give it


def prepare_process() -> None:
    """Set up streams that can say everything and plots without a window; check the words given.

    Raises:
        ConfigError: the current folder is gone, or a word of the command is no text here.
    """
    _open_streams()
    # The program shows no window, and a notebook's backend may not be installed here.
    os.environ["MPLBACKEND"] = "agg"
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where it keeps its list of fonts
    _check_folder()
    _check_words(sys.argv)


def let_idle_threads_sleep() -> None:
    """For verbs that use torch, before they import it.

    Idle threads that spin slow a busy machine down tenfold and more.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _open_streams() -> None:
    """A letter that the terminal does not know is written as ``\\xf6``; a closed stream is mute."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _check_folder() -> None:
    try:
        Path.cwd()
    except OSError:
        raise ConfigError("the current folder is gone: change to one that is there") from None


def _check_words(words: list[str]) -> None:
    """Bytes that are no text cannot be recorded with the results."""
    odd = next((word for word in words if any("\ud800" <= c <= "\udfff" for c in word)), None)
    if odd is None:
        return
    shown = odd.encode("ascii", "backslashreplace").decode()
    if sys.getfilesystemencoding() != "utf-8":
        raise ConfigError(
            f"{shown}: this terminal's settings know only {sys.getfilesystemencoding()}: "
            "set LC_ALL=C.UTF-8 or PYTHONUTF8=1"
        )
    raise ConfigError(f"{shown}: not UTF-8; rename the file or folder")
