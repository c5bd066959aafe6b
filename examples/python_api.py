"""A sweep from Python: search, look, predict, export. ``python examples/python_api.py``."""

from __future__ import annotations

import sys
from pathlib import Path

import pdf_search

HERE = Path(__file__).parent


def main(out: Path, trials: int = 4, epochs: int = 5) -> None:
    # A space is written for the file; settings change it as --set does on the command line.
    space = pdf_search.load_space(HERE / "hydration.csv", {"training.epochs": epochs})
    sweep = pdf_search.run_sweep(space, out=out, trials=trials, top_k=1, seeds=2, no_portfolio=True)
    board = sweep.leaderboard()
    print(board[["phase", "number", "state", "split", "mean", "spread", "n"]].to_string())
    print(sweep.best.predict(["CCO", "c1ccccc1", "C[Si](C)(C)C"]).to_string())
    model = pdf_search.load(sweep.best.export(out / "model"))
    print(model, "see", sweep.report / "report.html")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
