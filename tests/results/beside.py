"""Runs a whole simulated sweep in the database of an address.

Searcher, driver and Optuna study are the product's.
"""

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from killing.one_process import run  # noqa: E402

from pdf_search.space import load_space  # noqa: E402
from pdf_search.sweep import Plan, SweepOptions, plan_sweep  # noqa: E402

SPACE = BENCHMARKS / "killing" / "space.yaml"


def planned(folder: Path, name: str, db: str | None, trials: int = 10) -> Plan:
    options = SweepOptions(
        name=name, out=folder, cache=folder.parent / "cache", db=db, trials=trials
    )
    return plan_sweep(load_space(str(SPACE)), options)


def main() -> None:
    folder, name, db = sys.argv[1:]
    run(planned(Path(folder), name, db), 3, 1e9, lambda _: None, lambda *_: None)


if __name__ == "__main__":
    main()
