"""Runs `pdf-search sweep` as a person would, and reads what it picked and what that cost."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.records import METRICS, Phase, State
from pdf_search.results import Store, rank_trials, summarise

PROGRAM = Path(sys.executable).with_name("pdf-search")


@dataclass(frozen=True)
class Pick:
    """The best trial of a search by validation, and the epochs that the search trained."""

    config: TrialConfig
    valid: float
    epochs: int
    seconds: float | None = None  # of the whole command; None if an earlier run's is read


def sweep(space: str, name: str, out: Path, options: Sequence[str]) -> Pick:
    """Run a search of this name, go on with it, or read it. Nothing is confirmed."""
    return best_of_sweep(space, name, out, options, 1)[0]


def best_of_sweep(
    space: str, name: str, out: Path, options: Sequence[str], count: int
) -> list[Pick]:
    """As ``sweep``; the best trials, at most ``count`` and as many as are COMPLETE."""
    common = ["--out", str(out)]
    command = [str(PROGRAM), "sweep", space, "--name", name, "--top-k", "0", *common, *options]
    if (out / name).exists():
        command = [str(PROGRAM), "resume", name, *common]
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return read_picks(name, out, count, time.monotonic() - begun)


def read_picks(name: str, out: Path, count: int, seconds: float | None = None) -> list[Pick]:
    """Read the best trials of a search."""
    with Store(str(out / name / "results.db"), create=False) as store:
        sweep = store.sweep(name)
        trials = store.trials(name, Phase.SEARCH)
        epochs = dict(store.all_epochs(name, Phase.SEARCH))
    found = [(t, summarise(sweep, t, epochs.get(t.number, []))) for t in trials]
    spent = sum(len(reports) for reports in epochs.values())
    return [
        Pick(parse_trial(trial.config), summary.mean, spent, seconds)
        for trial, summary in rank_trials(METRICS[sweep.metric], found)[:count]
        if trial.state is State.COMPLETE and summary.mean is not None
    ]
