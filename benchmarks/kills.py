"""Kills the driver of simulated sweeps, at random times and at named points, and resumes each.

    python benchmarks/kills.py
    python benchmarks/kills.py --kills 20 --each 1

No finished trial and no reported epoch may be lost or doubled, and with one trial at once a sweep
that was killed must decide as one that was not. Everything but Tune and the training is real. Ends
with exit code 1 if something is wrong.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from common import parser, publish
from killing.checks import Decisions, Journal, after_a_kill, at_the_end, decisions
from killing.crash_points import POINTS, CrashPoint
from killing.one_process import run

from pdf_search.space import load_space
from pdf_search.sweep import Plan, SweepFolder, SweepOptions, plan_sweep

METHODS = ("tpe+asha", "hyperband", "pbt", "tpe")
MOST_KILLS = 4  # of a sweep
SHARE = 0.5  # of a whole sweep's time, within which a process is killed
MOST_PASSED = 60  # a point is passed so often at least, in a sweep
COMMIT_SECONDS = 6e-4  # in which a commit has certainly begun and mostly ended
SPACE = Path(__file__).parent / "killing" / "space.yaml"


@dataclass
class Case:
    """A method with so many trials at once; what it decides unkilled, and how long that takes."""

    plan: Plan
    concurrent: int
    decided: Decisions = field(default_factory=list)
    seconds: float = 0.0
    sweeps: int = 0
    kills: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass
class Sweeps:
    """Sweeps of a case in a folder; each is killed and resumed until it comes to its end."""

    case: Case
    folder: Path
    dice: random.Random

    def whole(self) -> None:
        """A sweep that nothing kills."""
        plan, journal = self._begun()
        begun = time.monotonic()
        assert self._process(plan, journal, CrashPoint("", 0, 0.0)), "the sweep itself fails"
        self.case.seconds = time.monotonic() - begun
        self.case.decided = decisions(plan)
        self.case.wrong += at_the_end(plan, journal)

    def killed(self, crash: Callable[[], CrashPoint], after: Callable[[], float | None]) -> int:
        """Kill a sweep, and the processes that resume it, till one ends; returns the kills."""
        plan, journal = self._begun()
        kills = 0
        while True:
            if kills < MOST_KILLS:
                ended = self._process(plan, journal, crash(), after())
            else:
                ended = self._process(plan, journal, CrashPoint("", 0, 0.0))
            if ended:
                break
            kills += 1
            self.case.wrong += after_a_kill(plan, journal)
        self.case.kills += kills
        self.case.wrong += at_the_end(plan, journal)
        if self.case.concurrent == 1 and decisions(plan) != self.case.decided:
            self.case.wrong.append(f"{plan.folder.path}: other decisions than unkilled")
        return kills

    def _begun(self) -> tuple[Plan, Journal]:
        self.case.sweeps += 1
        place = self.folder / str(self.case.sweeps)
        plan = replace(self.case.plan, folder=SweepFolder.of(place, self.case.plan.name, None))
        return plan, Journal(place.with_suffix(".journal"))

    def _process(
        self, plan: Plan, journal: Journal, crash: CrashPoint, seconds: float | None = None
    ) -> bool:
        """Run a sweep in a process of its own, killed after ``seconds``; whether it ended."""
        every = self.dice.choice((0.0, 0.03, 1e9))  # seconds from a checkpoint to the next
        child = os.fork()
        if not child:
            code = 1
            try:
                with crash.watched():
                    run(plan, self.case.concurrent, every, crash, journal)
                code = 0
            except BaseException:
                traceback.print_exc()
            os._exit(code)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status > 0:
            raise RuntimeError(f"the driver failed with {status}; see above")
        return status == 0


def cases(folder: Path, methods: Sequence[str]) -> list[Case]:
    found = []
    for method in methods:
        options = SweepOptions(
            name=method.replace("+", "-"), out=folder, cache=folder / "cache", method=method
        )
        plan = plan_sweep(load_space(str(SPACE)), options)
        found += [Case(plan, concurrent) for concurrent in (1, 3)]
    return found


def main() -> None:
    made = parser(__doc__, seconds=0.0)
    made.add_argument("--kills", type=int, default=200, help="at random times")
    made.add_argument("--each", type=int, default=5, help="kills at each named point")
    made.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    made.add_argument("--seed", type=int, default=0, help="of the times and points")
    arguments = made.parse_args()
    dice = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        known = cases(Path(name), arguments.methods)
        sweeps = [
            Sweeps(case, Path(name, f"{case.plan.name}-{case.concurrent}"), dice) for case in known
        ]
        for sweep in sweeps:
            sweep.whole()
        rows = [at_random(sweeps, arguments.kills, dice)]
        rows += [at_point(sweeps, point, arguments.each, dice) for point in POINTS]
        publish(arguments, rows)
    wrong = [line for case in known for line in case.wrong]
    print("\n".join(wrong) or "nothing lost, nothing doubled, decisions as unkilled")
    sys.exit(bool(wrong))


def at_random(sweeps: list[Sweeps], wanted: int, dice: random.Random) -> dict[str, Any]:
    never = CrashPoint("", 0, 0.0)
    return _row(
        "at random times", sweeps, wanted, lambda _: never, lambda s: dice.uniform(0, SHARE * s)
    )


def at_point(sweeps: list[Sweeps], point: str, wanted: int, dice: random.Random) -> dict[str, Any]:
    def crash(_: float) -> CrashPoint:
        return CrashPoint(point, dice.randint(1, MOST_PASSED), dice.uniform(0, COMMIT_SECONDS))

    return _row(point, sweeps, wanted, crash, lambda _: None)


def _row(
    what: str,
    sweeps: list[Sweeps],
    wanted: int,
    crash: Callable[[float], CrashPoint],
    after: Callable[[float], float | None],
) -> dict[str, Any]:
    kills, count, wrong = 0, 0, 0
    for sweep in cycle(sweeps):
        if kills >= wanted:
            break
        case = sweep.case
        before = len(case.wrong)
        kills += sweep.killed(lambda: crash(case.seconds), lambda: after(case.seconds))  # noqa: B023
        count += 1
        wrong += len(case.wrong) - before
    return {"killed": what, "kills": kills, "sweeps": count, "wrong": wrong}


if __name__ == "__main__":
    main()
