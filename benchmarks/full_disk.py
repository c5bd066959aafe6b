"""Fills the disk of simulated sweeps at random moments, makes room, and resumes each.

    sudo python benchmarks/full_disk.py
    sudo python benchmarks/full_disk.py --moments 2 --methods tpe

Each sweep is on a file system of its own in memory, which needs root on Linux. A full disk must be
told with its path and bytes. Then the sweep must come to the end that one has whose disk was never
full. Everything but Tune and the training is real. Ends with exit code 1 if something is wrong.
"""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).parent))

from common import parser, publish
from killing.checks import Journal, after_a_kill, at_the_end
from killing.crash_points import CrashPoint
from killing.one_process import run

from pdf_search.cli.execution import execute
from pdf_search.errors import PdfSearchError
from pdf_search.space import load_space
from pdf_search.sweep import Plan, SweepFolder, SweepOptions, plan_sweep

METHODS = ("tpe+asha", "hyperband", "pbt", "tpe")
SIZE = "6m"  # of the file system; a whole sweep takes about 1 MB
FULL = 7  # exit code of a driver that told of a full disk
TOLD = re.compile(r"the disk of /\S+ is full \([\d,]+ bytes are free\)")
SPACE = Path(__file__).parent / "killing" / "space.yaml"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A small file system at a new folder, unmounted at the end."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> Path:
    """Write to a file until no byte is left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    return filler


def process(plan: Plan, journal: Journal, log: Path, after: float | None) -> int:
    """Run a sweep in a process of its own, with the disk full from a moment on; its exit code.

    What it tells is written into ``log``.
    """
    child = os.fork()
    if not child:
        os._exit(_driver(plan, journal, log))
    if after is None:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    time.sleep(after)
    filler = fill(plan.folder.out.parent)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    filler.unlink()
    return code


def _driver(plan: Plan, journal: Journal, log: Path) -> int:
    def whole() -> NoReturn:
        run(plan, 3, 0.03, CrashPoint("", 0, 0.0), journal)
        os._exit(0)

    told = io.StringIO()
    try:
        with redirect_stderr(told):
            execute(plan.folder, whole)
    except PdfSearchError as error:
        log.write_text(str(error))
        return FULL
    except BaseException:
        traceback.print_exc()
    return 1


def one_moment(base: Plan, folder: Path, share: float, seconds: float) -> tuple[bool, list[str]]:
    """A sweep whose disk is full from a moment on, and resumed; was it, and what is wrong."""
    with small_disk(folder) as disk:
        plan = replace(base, folder=SweepFolder.of(disk / "runs", base.name, None))
        journal, log = Journal(folder.with_suffix(".journal")), folder.with_suffix(".told")
        code = process(plan, journal, log, share * seconds)
        wrong = []
        if code == FULL:
            said = log.read_text()
            wrong = [] if TOLD.search(said) and "go on with" in said else [f"it says: {said}"]
            wrong += after_a_kill(plan, journal)
            if process(plan, journal, log, None):
                wrong.append(f"not resumed: {log.read_text()}")
        elif code:
            wrong = [f"ended with {code}"]
        return code == FULL, wrong + at_the_end(plan, journal)


def whole(base: Plan, folder: Path) -> float:
    """The seconds that a sweep takes whose disk is never full."""
    with small_disk(folder) as disk:
        plan = replace(base, folder=SweepFolder.of(disk / "runs", base.name, None))
        begun = time.monotonic()
        code = process(plan, Journal(folder.with_suffix(".journal")), folder, None)
        assert not code, "the sweep itself fails"
        return time.monotonic() - begun


def main() -> None:
    made = parser(__doc__, seconds=0.0)
    made.add_argument("--moments", type=int, default=20, help="at which the disk was full")
    made.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    made.add_argument("--seed", type=int, default=0, help="of the moments")
    arguments = made.parse_args()
    dice, numbers = random.Random(arguments.seed), count()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        rows: list[dict[str, Any]] = []
        plans = []
        for method in arguments.methods:
            label = method.replace("+", "-")
            options = SweepOptions(
                name=label, out=Path(name), cache=Path(name) / "cache", method=method
            )
            plan = plan_sweep(load_space(str(SPACE)), options)
            plans.append((plan, whole(plan, Path(name) / f"{label}-whole")))
            rows.append({"method": method, "moments": 0, "not reached": 0, "wrong": 0})
        for (plan, seconds), row in cycle(list(zip(plans, rows, strict=True))):
            if sum(each["moments"] for each in rows) >= arguments.moments:
                break
            folder = Path(name) / f"{plan.name}-{next(numbers)}"
            full, found = one_moment(plan, folder, dice.uniform(0.02, 0.6), seconds)
            row["moments" if full else "not reached"] += 1
            row["wrong"] += len(found)
            wrong += found
        publish(arguments, rows)
    print("\n".join(wrong) or "each told with path and bytes, and resumed to the right end")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
