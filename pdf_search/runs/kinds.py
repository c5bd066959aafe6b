"""Tells what a folder holds: a sweep, a single run, or something else."""

from __future__ import annotations

from pathlib import Path

RUN = "a single run of `pdf-search train`"
_READ_RUN = "`pdf-search predict` and `explain` read it, `train --resume` goes on with it"
_SHOWN = 3  # names in a message


def instead_of_sweep(folder: Path) -> str:
    """Say what the folder holds instead of a sweep, and which command reads that.

    The text completes an error message.
    """
    try:
        if is_run(folder):
            return f"it is {RUN}: {_READ_RUN}, and curve.csv holds its numbers"
        if below := [path.parent.relative_to(folder).as_posix() for path in databases(folder)]:
            more = ", ..." if len(below) > _SHOWN else ""
            return f"it is a folder of sweeps: name one of {', '.join(below[:_SHOWN])}{more}"
        if (folder / "meta.json").is_file() or (folder / "prepared").is_dir():
            return "it is a folder of prepared data, which `pdf-search data --list` lists"
        if folder.is_file():
            return "it is a file: give the name or the folder of a sweep, or --db"
        if folder.is_dir():
            return "the folder has no results.db: name the folder that a sweep wrote, or give --db"
    except OSError:  # a name that is too long, a folder that may not be read
        pass
    return f"{_beside(folder)}check the name and --out, or give its --db"


def _beside(folder: Path) -> str:
    """The sweeps and runs beside a folder that is none, in words that a remedy follows."""
    out = folder.parent
    sweeps = [path.parent.relative_to(out).as_posix() for path in databases(out)]
    names = sorted([*sweeps, *runs_below(out)])
    if not names:
        return ""
    more = ", ..." if len(names) > _SHOWN else ""
    return f"beside it {'are' if names[1:] else 'is'} {', '.join(names[:_SHOWN])}{more}; "


def holds_sweep(folder: Path) -> bool:
    """Whether the folder has a ``results.db``; False for a folder that cannot be read."""
    try:
        return (folder / "results.db").is_file()
    except OSError:  # a name that is too long, a folder that may not be read
        return False


def is_run(folder: Path) -> bool:
    """Whether ``pdf-search train`` wrote this folder: a ``config.yaml`` without a database."""
    return (folder / "config.yaml").is_file() and not holds_sweep(folder)


def runs_below(out: Path) -> list[str]:
    """The names of the single runs directly below ``out``, sorted."""
    return sorted(path.parent.name for path in out.glob("*/config.yaml") if is_run(path.parent))


def databases(out: Path) -> list[Path]:
    """The paths of all ``results.db`` one or two levels below ``out``, sorted.

    The second level is needed because a study may have a name of two words: ``paper/ablation``.
    """
    return sorted([*out.glob("*/results.db"), *out.glob("*/*/results.db")])
