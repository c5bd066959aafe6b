"""Ends real sweeps at random times, by each signal in turn, and resumes each.

    python benchmarks/kills_with_ray.py --json rows.jsonl
    python benchmarks/kills_with_ray.py --kills 2 2 2 2

The program runs in a terminal, with Ray and real trials of FreeSolv, two at once. After each end no
process may be left after 20 s, no lock and no traceback, and no recorded epoch may be gone. At the
end of each sweep every epoch is there once, with the value that was recorded first. A line is
written as each end was checked.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from common import describe_machine, parser, print_rows
from killing.checks import Journal, after_a_kill, at_the_end
from killing.terminal import Terminal

from pdf_search.errors import PdfSearchError
from pdf_search.records import Phase
from pdf_search.space import load_space
from pdf_search.sweep import Plan, SweepOptions, plan_sweep

WAYS = {"SIGKILL": -9, "SIGTERM": 143, "Ctrl-C": 130, "SIGHUP": 129}  # with the exit code
KILLS = (20, 10, 10, 5)
MOST_OF_ONE = 5  # ends of a sweep, before it may go on to its end
SPACE = Path(__file__).parent / "killing" / "real.yaml"
LAST = 4000  # bytes of what a command printed that are shown
GONE = 20.0  # seconds in which all processes end
LONGEST = 120.0  # seconds that the driver may take to end
WHOLE = 1200.0  # seconds for a command that nothing ends


@dataclass
class Victim:
    """A sweep that is ended and resumed; ``wrong`` is what did not hold of it."""

    plan: Plan
    folder: Path
    starts: int = 0
    wrong: list[str] = field(default_factory=list)

    def begin(self) -> Terminal:
        """Start the sweep, or resume it once it is recorded."""
        self.starts += 1
        words = ["--out", str(self.folder), "--name", self.plan.name, "--concurrent", "2"]
        words += ["--cache", str(self.plan.options.cache)]
        command = ["sweep", str(SPACE), *words]
        if self._recorded():
            command = ["resume", self.plan.name, "--out", str(self.folder)]
        return Terminal(command, f"{self.folder}/{self.starts}", self.folder)

    def journal(self) -> Journal:
        """What the record holds now, into a new journal."""
        journal = Journal(self.folder / f"{self.starts}.journal")
        if self._recorded():
            with self.plan.folder.open_store() as store:
                for phase in Phase:
                    for number, curve in store.all_epochs(self.plan.name, phase).items():
                        for report in curve:
                            journal("epoch", phase, number, report.epoch, report.valid)
                for trial in store.trials(self.plan.name):
                    if trial.state.finished:
                        journal("ended", trial.phase, trial.number, trial.state.value)
        return journal

    def ended(self, terminal: Terminal, way: str, journal: Journal, seconds: float) -> list[str]:
        """What is wrong after an end."""
        wrong = after_a_kill(self.plan, journal)
        if terminal.code != WAYS[way]:
            last = terminal.output[-LAST:].decode(errors="replace")
            wrong.append(f"exit code {terminal.code}, {seconds:.0f} s after it: {last}")
        if b"Traceback" in terminal.output:
            wrong.append(f"a traceback: {terminal.output.decode(errors='replace')}")
        until = time.monotonic() + GONE
        while (left := terminal.left()) and time.monotonic() < until:
            time.sleep(0.2)
        wrong += [f"process {number} is left: {_command(number)}" for number in left]
        with suppress(FileNotFoundError):
            try:
                with self.plan.folder.locked():
                    pass
            except PdfSearchError as error:
                wrong.append(f"a lock is left: {error}")
        return wrong

    def _recorded(self) -> bool:
        if not Path(self.plan.folder.database).exists():
            return False
        with self.plan.folder.open_store(create=True) as store:
            return bool(store.sweeps(self.plan.name))


def main() -> None:
    made = parser(__doc__, seconds=3600.0)
    made.add_argument("--kills", type=int, nargs=4, default=KILLS, help=f"by {', '.join(WAYS)}")
    made.add_argument("--seed", type=int, default=0, help="of the times")
    arguments = made.parse_args()
    dice, until = random.Random(arguments.seed), time.monotonic() + arguments.seconds
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        for row in ends(Path(name), dict(zip(WAYS, arguments.kills, strict=True)), dice, until):
            print(row, flush=True)
            rows.append(row)
            if arguments.json:
                with arguments.json.open("a") as stream:
                    stream.write(json.dumps(row) + "\n")
    print(describe_machine("cpu", arguments.threads))
    print_rows(summary(rows))
    sys.exit(any(row["wrong"] for row in rows))


def ends(
    folder: Path, wanted: dict[str, int], dice: random.Random, until: float
) -> Iterator[dict[str, Any]]:
    """End sweeps until the numbers are reached or the time is up; a row for each end."""
    victim = victim_in(folder, 0)
    begun = time.monotonic()
    yield _to_its_end(victim, victim.begin())
    whole, left = time.monotonic() - begun, Counter(wanted)
    for number in range(1, sum(wanted.values()) + 1):
        victim = victim_in(folder, number)
        journals = [victim.journal()]
        for _ in range(MOST_OF_ONE):
            ways = [way for way in left if left[way] > 0]
            if not ways or time.monotonic() > until:
                break
            way = max(ways, key=lambda w: left[w] / wanted[w])
            terminal = victim.begin()
            at = dice.uniform(0, whole)
            begun = time.monotonic()
            if not terminal.runs(at):
                whole = time.monotonic() - begun  # it came to its end before
                break
            journals.append(victim.journal())
            terminal.signal(way)
            sent = time.monotonic()
            terminal.runs(LONGEST)
            seconds = time.monotonic() - sent
            wrong = victim.ended(terminal, way, journals[-1], seconds)
            terminal.close()
            left[way] -= 1
            yield {"sweep": number, "way": way, "at_s": at, "ended_s": seconds, "wrong": wrong}
        yield _to_its_end(victim, victim.begin(), journals)
        if not +left or time.monotonic() > until:
            break


def victim_in(folder: Path, number: int) -> Victim:
    """A new sweep in a folder of its own; all have one cache."""
    place = folder / str(number)
    place.mkdir()
    options = SweepOptions(name="night", out=place, cache=folder / "cache", concurrent=2)
    return Victim(plan_sweep(load_space(str(SPACE)), options), place)


def _to_its_end(
    victim: Victim, terminal: Terminal, journals: list[Journal] | None = None
) -> dict[str, Any]:
    """Let a sweep come to its end, and check it against all that was recorded on the way."""
    begun = time.monotonic()
    terminal.runs(WHOLE)
    wrong = [] if terminal.code == 0 else [f"exit code {terminal.code}: {terminal.output!r}"]
    terminal.close()
    for journal in [victim.journal(), *(journals or [])]:
        wrong += at_the_end(victim.plan, journal)
    wrong = list(dict.fromkeys(wrong))
    row = {"sweep": int(victim.folder.name), "way": "to its end", "at_s": 0.0}
    return {**row, "ended_s": time.monotonic() - begun, "wrong": wrong}


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each way: how often, how long the end took, what was wrong."""
    found = []
    for way in (*WAYS, "to its end"):
        own = [row for row in rows if row["way"] == way]
        longest = max((row["ended_s"] for row in own), default=0.0)
        wrong = sum(bool(row["wrong"]) for row in own)
        found.append({"way": way, "times": len(own), "longest_s": longest, "wrong": wrong})
    return found


def _command(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return "gone"


if __name__ == "__main__":
    main()
