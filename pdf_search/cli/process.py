"""Prepares the process before a verb runs. Where the package is a library, none of it is done."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from pdf_search.errors import ConfigError, StoreError


def prepare_process() -> None:
    """Set up the output streams and Matplotlib, and check the folder and the command's words.

    Raises:
        ConfigError: the current folder is gone, or a word of the command cannot be decoded.
    """
    _open_streams()
    # The program shows no window, and the backend that a notebook sets may not be installed here.
    os.environ["MPLBACKEND"] = "agg"
    # Matplotlib would warn about the place of its font cache.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    _check_folder()
    _check_words(sys.argv)
    _hide_password()


def let_idle_threads_sleep() -> None:
    """Let OpenMP threads sleep while they wait; a verb calls it before it imports torch.

    On a busy machine, threads that spin while they wait make a run ten times slower or more.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _open_streams() -> None:
    """Let the streams write a letter that they cannot encode by its number; mute a closed one."""
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
    """Check that all words are text, because the command line is recorded with the results."""
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


def _hide_password() -> None:
    """Start over with the password of a database URL in the environment.

    Everyone on the machine sees the words of a command (``ps``), but not its environment.
    PostgreSQL's library reads ``PGPASSWORD`` where the URL has none.
    """
    words = list(map(_without_password, sys.orig_argv))
    passwords = [password for _, password in words if password]
    if passwords and sys.executable and sys.platform != "win32":
        os.environ["PGPASSWORD"] = passwords[-1]
        os.execv(sys.executable, [sys.executable, *(word for word, _ in words[1:])])


def _without_password(word: str) -> tuple[str, str]:
    """A word without the password of a PostgreSQL URL, and that password, "" for none."""
    url = word.removeprefix("--db=")
    if not url.startswith("postgresql"):
        return word, ""
    from pdf_search.results import parse_url

    try:
        known = parse_url(url)
    except (StoreError, ValueError):  # it is said when the database is opened
        return word, ""
    shown = known._replace(password=None)  # for `set`, None means that it stays
    return word.removesuffix(url) + shown.render_as_string(), str(known.password or "")
