"""Runs a command, and tells what it cost: wall time, its search's part, CPU time by process.

As a script it is the command's Python, which notes when Ray Tune starts and completes trials:

    python timed.py NOTES pdf-search sweep freesolv
    python timed.py NOTES plain_tune.py freesolv
"""

from __future__ import annotations

import ctypes
import runpy
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

SECONDS = 0.1  # between two looks at the processes, so at most what a process does last is missed
ADOPTS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2): Ray's processes stay in this one's tree


@dataclass(frozen=True)
class Cost:
    """Seconds of wall time of a command and of its search, and of CPU time by kind of process."""

    wall: float
    search: float  # from the first trial's start to the last one's end, as Tune's driver sees them
    before: float  # until the first trial's start
    cpu: dict[str, float]


def cost_of(command: Sequence[str], notes: Path) -> Cost:
    """Run the arguments of this script; ``notes`` is a file to write."""
    ctypes.CDLL(None).prctl(ADOPTS, 1, 0, 0, 0)
    begun = time.time()
    script = [sys.executable, "-W", "ignore", __file__, str(notes), *command]
    process = subprocess.Popen(script, stdout=subprocess.DEVNULL)
    used: dict[tuple[int, float], tuple[str, float]] = {}
    while process.poll() is None:
        look(used)
        time.sleep(SECONDS)
    wall = time.time() - begun
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, script)
    cpu: defaultdict[str, float] = defaultdict(float)
    for kind, seconds in used.values():
        cpu[kind] += seconds
    times = [float(line) for line in notes.read_text().split()]
    return Cost(wall, max(times) - min(times), min(times) - begun, dict(cpu))


def look(used: dict[tuple[int, float], tuple[str, float]]) -> None:
    """Note the CPU time of each descendant so far, by its number and start."""
    for process in psutil.Process().children(recursive=True):
        try:
            with process.oneshot():
                spent, key = process.cpu_times(), (process.pid, process.create_time())
                command = process.cmdline()  # empty where it ended and nobody has waited for it
                kind = kind_of(command) if command else used.get(key, ("other", 0.0))[0]
                used[key] = kind, spent.user + spent.system
        except psutil.Error:  # it has ended
            continue


def kind_of(command: list[str]) -> str:
    """A worker's title is that of its trials, or says that it is idle."""
    words = " ".join(command)
    if __file__ in words:
        return "driver"
    if words.startswith(("ray::ImplicitFunc", "ray::IDLE")) or "default_worker.py" in words:
        return "workers"
    if words.startswith("ray::"):
        return "ray " + words.removeprefix("ray::").strip()  # a title is padded
    names = [Path(word).name for word in command if word.endswith((".py", "raylet", "gcs_server"))]
    return f"ray {names[0]}" if names else "other"


def note_trials(file: Path) -> None:
    """Write the time of each trial's start and end, as Tune tells its callbacks."""
    from ray.tune.callback import CallbackList  # noqa: PLC0415

    def noting(method: Any) -> Any:
        def noted(*arguments: Any, **more: Any) -> Any:
            with file.open("a", encoding="utf-8") as notes:
                notes.write(f"{time.time()}\n")
            return method(*arguments, **more)

        return noted

    for name in ("on_trial_start", "on_trial_complete"):
        setattr(CallbackList, name, noting(getattr(CallbackList, name)))


def main() -> None:
    notes, name, *arguments = sys.argv[1:]
    note_trials(Path(notes))
    sys.argv = [name, *arguments]
    if name != "pdf-search":
        sys.path[0] = str(Path(name).parent)
        runpy.run_path(name, run_name="__main__")
        return
    from pdf_search.cli import main as program  # noqa: PLC0415

    program()


if __name__ == "__main__":
    main()
