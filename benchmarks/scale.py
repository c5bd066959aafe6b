"""Driver time and memory of a search with 10,000 simulated trials, and the time of a large report.

    python benchmarks/scale.py
    python benchmarks/scale.py --trials 1000 --report 0

Searcher, early stopping, recorder, database and Optuna study are the product's; Tune and the
training are simulated, and their time is taken off. Time is processor time of this process; memory
is what it holds (resident set).
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

from common import parser, print_rows, publish
from killing.large_report import report_row
from killing.one_process import Worker, run

from pdf_search.records import Phase
from pdf_search.space import load_space
from pdf_search.sweep import SweepOptions, plan_sweep

SPACE = Path(__file__).parent / "killing" / "scale.yaml"
PARTS = 10  # of the sweep, each a row
CONCURRENT = 8
NEVER = 1e9  # seconds from a checkpoint to the next: at rungs and the end alone


@dataclass
class Clock:
    """What the driver spent and held when each trial of the search had ended."""

    elsewhere: float = 0.0  # processor seconds of the simulated workers
    trials: int = 0
    begun: float = field(default_factory=time.process_time)
    starts: list[tuple[float, float]] = field(default_factory=list)

    def tell(self, event: str, phase: Phase, number: int, *_: Any) -> None:
        """Note the first start of each trial of the search."""
        if event == "started" and phase is Phase.SEARCH and number == len(self.starts):
            self.note()

    def note(self) -> None:
        self.starts.append((time.process_time() - self.begun - self.elsewhere, resident_mb()))
        done = len(self.starts) - 1
        if done and done % (self.trials // PARTS) == 0:
            print(self.rows()[-1], flush=True)

    def apart(self, work: Any) -> Any:
        """The function, with its time not counted."""

        def done(*words: Any, **more: Any) -> Any:
            before = time.process_time()
            try:
                return work(*words, **more)
            finally:
                self.elsewhere += time.process_time() - before

        return done

    def rows(self) -> list[dict[str, Any]]:
        """Milliseconds a trial and memory, for each tenth of the sweep that is over."""
        edges = [self.trials * part // PARTS for part in range(PARTS + 1)]
        return [self._row(a, b) for a, b in pairwise(edges) if b < len(self.starts)]

    def _row(self, a: int, b: int) -> dict[str, Any]:
        return {
            "trials": f"{a + 1} to {b}",
            "ms_a_trial": 1000 * (self.starts[b][0] - self.starts[a][0]) / (b - a),
            "grown_mb": self.starts[b][1] - self.starts[0][1],
        }


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def main() -> None:
    made = parser(__doc__, seconds=0.0)
    made.add_argument("--trials", type=int, default=10_000, help=f"at least {PARTS}")
    made.add_argument("--method", default="tpe+asha")
    made.add_argument("--report", type=int, default=1000, help="trials of the report; 0 for none")
    arguments = made.parse_args()
    if arguments.trials < PARTS:
        made.error(f"--trials: at least {PARTS}, since each tenth of the sweep is a row")
    with tempfile.TemporaryDirectory() as name:
        rows = sweep_rows(Path(name), arguments.trials, arguments.method)
        publish(arguments, rows)
        print(f"last part {rows[-1]['ms_a_trial'] / rows[0]['ms_a_trial']:.2f} times the first")
        if arguments.report:
            print_rows([report_row(SPACE, Path(name), arguments.report)])


def sweep_rows(folder: Path, trials: int, method: str) -> list[dict[str, Any]]:
    """Run the sweep to its end, and give the rows of its search."""
    options = SweepOptions(
        name="many", out=folder, cache=folder / "cache", method=method, trials=trials
    )
    plan = plan_sweep(load_space(str(SPACE)), options)
    gc.collect()
    clock = Clock(trials=trials)
    with (
        patch.object(Worker, "__init__", clock.apart(Worker.__init__)),
        patch.object(Worker, "step", clock.apart(Worker.step)),
        patch.object(Worker, "forget_old", clock.apart(Worker.forget_old)),
    ):
        run(plan, CONCURRENT, NEVER, lambda _: None, clock.tell)
    clock.note()
    return clock.rows()


if __name__ == "__main__":
    main()
