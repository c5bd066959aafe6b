"""The names of sweeps and runs: which are allowed, which are free, which folder a name means."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from pdf_search.errors import ConfigError
from pdf_search.paths import expanded, nearest

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NAME_RULE = "letters, digits, dot, dash and underscore, at most 100, a letter or digit first"


def check_name(name: str) -> None:
    """Raise ConfigError if a ``--name`` cannot name a folder below ``--out``."""
    if not NAME.fullmatch(name):
        raise ConfigError(f"--name {name!r}: use {NAME_RULE}")


def check_out(out: Path) -> None:
    """Raise ConfigError if ``--out`` is a file, or below one, so that it can be no folder."""
    place = nearest(expanded(out).absolute())
    if place.is_file():
        raise ConfigError(
            f"--out {out}: {place} is a file: name a folder, in which each sweep or run has its own"
        )


def free_name(out: Path, wanted: str) -> str:
    """A name for a new folder below ``out``: ``wanted``, or if that is taken ``wanted-2``, ..."""
    taken = {entry.name for entry in out.iterdir()} if out.is_dir() else set()
    number = 1
    name = wanted
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def find_folder(out: Path, name: str) -> Path:
    """The folder of a sweep or run, as an absolute path.

    ``name`` is looked up below ``out`` first, then as a path of its own. If neither is there, the
    first of the two is given.
    """
    whole = [path for path, _, part in places(out, name) if not part]
    return next((path for path in whole if _is_there(path)), whole[0])


def places(out: Path, name: str) -> Iterator[tuple[Path, str, str]]:
    """The folders that a name may mean, the likeliest first.

    The last words of a name may mean a part of a study, such as ``mutag/inner``. So for each
    length of the folder's name this gives: the folder, the whole name, and the words left for the
    part ("" for none). Folders below ``out`` come before ``name`` as a path of its own.
    """
    words = name.split("/")
    if words[0] not in ("", ".", "..", "~"):
        for count in range(len(words), 0, -1):
            path = expanded(out).resolve() / "/".join(words[:count])
            yield path, name, "/".join(words[count:])
    own = expanded(name)
    for count in range(max(1, len(own.parts))):
        path = own.resolve() if count == 0 else own.resolve().parents[count - 1]
        part = "/".join(own.parts[len(own.parts) - count :])
        yield path, "/".join(filter(None, (path.name, part))), part


def resume_command(called: str, out: Path, db: str = "") -> str:
    """The shell command that continues a sweep, quoted; see ``where_options``."""
    command = shlex.join(["pdf-search", "resume", called])
    return " ".join(filter(None, (command, where_options(out, db))))


def where_options(out: Path, db: str = "") -> str:
    """The options, quoted, with which a command finds the sweeps of a folder or database.

    They are printed, so ``db`` must come without a password.
    """
    words = [] if out == Path("runs").resolve() else ["--out", str(out)]
    return shlex.join([*words, *(["--db", db] if db else [])])


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long
        return False
