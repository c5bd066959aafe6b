"""Driver time of a simulated trial of 1,000 epochs against one of 100, without Ray.

    python benchmarks/driver_time.py
    PYTHONPATH=OTHER_CHECKOUT python benchmarks/driver_time.py

Results go the driver's way: Ray's callback, trial log, database, progress view on a terminal. Ten
folds, each with a validation and a test value an epoch. The second line measures the code of
another checkout; the commit that is printed is that of the current folder.
"""

from __future__ import annotations

import io
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from common import parser, publish
from rich.console import Console

import pdf_search
from pdf_search.config import CategoricalInput, InputShape, parse_trial
from pdf_search.records import (
    EpochReport,
    Phase,
    Protocol,
    ReplicateEpoch,
    State,
    SweepRecord,
    Task,
    TrialOutcome,
)
from pdf_search.results import Store
from pdf_search.space import paper_trial
from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.progress import ProgressView
from pdf_search.sweep.trial_log.study_progress import StudyView
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.callbacks import Recorder
from pdf_search.sweep.tune.payload import NUMBER, pack_end, pack_epoch

SHORT, LONG = 100, 1000
FOLDS = 10
ROUNDS = 3
NAME = "simulated"
SHAPE = InputShape(
    nodes=CategoricalInput(sizes=(7,)),
    edges=CategoricalInput(sizes=(4,)),
    outputs=2,
    task=Task.MULTICLASS,
)


def main() -> None:
    arguments = parser(__doc__, seconds=200.0).parse_args()
    print(f"code      {Path(pdf_search.__file__).parents[1]}")
    rows = [
        measure(what, protocol)
        for what in ("sweep", "study")
        for protocol in (Protocol.INNER, Protocol.GIN_CURVE)
    ]
    publish(arguments, rows)


def measure(what: str, protocol: Protocol) -> dict[str, Any]:
    """Processor time, the least of several rounds: other work on the machine counts least."""
    short, long = (
        min(driver_seconds(what, protocol, epochs) for _ in range(ROUNDS))
        for epochs in (SHORT, LONG)
    )
    row = {"view": what, "protocol": str(protocol)}
    return row | {f"{SHORT}_s": short, f"{LONG}_s": long, "ratio": long / short}


def driver_seconds(what: str, protocol: Protocol, epochs: int) -> float:
    """Seconds from the start of one trial to its end, in the driver alone."""
    with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/results.db") as store:
        store.create_sweep(record := sweep_record(protocol, epochs))
        view = view_of(what, record)
        trial_log = TrialLog(store, NAME, Phase.CONFIRM, SHAPE, view, print)
        recorder = Recorder(trial_log, stop_condition := StopCondition(), set(), folder)
        trial_log.planned(Job(Phase.CONFIRM, 0, config(protocol, epochs)))
        results = [pack_epoch(report(epoch), "cpu") for epoch in range(1, epochs + 1)]
        results.append(pack_end(TrialOutcome(State.COMPLETE, epochs)))
        with view:
            seconds = drive(recorder, results)
        assert stop_condition.error is None, stop_condition.error
        assert trial_log.records[0].epochs_done == epochs
    return seconds


def drive(recorder: Recorder, results: list[dict[str, Any]]) -> float:
    trial: Any = SimpleNamespace(trial_id="0", config={NUMBER: 0})
    started = time.process_time()
    recorder.on_trial_start(0, [], trial)
    for result in results:
        recorder.on_trial_result(0, [], trial, result)
    recorder.on_trial_complete(0, [], trial)
    return time.process_time() - started


def view_of(what: str, record: SweepRecord) -> Any:
    console = Console(file=io.StringIO(), force_terminal=True)
    if what == "sweep":
        return ProgressView(console, Phase.CONFIRM, record)
    view = StudyView(console)
    view.part(record, "MUTAG")
    return view


def report(epoch: int) -> EpochReport:
    value = 1.0 - 1.0 / (1 + epoch)  # better each epoch
    folds = tuple(ReplicateEpoch(1.0, value - f / 100, value - f / 90) for f in range(FOLDS))
    return EpochReport(epoch, 1e-3, folds, 0.5, 10.0)


def config(protocol: Protocol, epochs: int) -> Any:
    tree = dict(paper_trial("mutag"))
    tree |= {"phase": "confirm", "protocol": protocol, "folds": FOLDS, "stop_epoch": epochs}
    tree["training"] = {**tree["training"], "epochs": LONG}
    return parse_trial(tree)


def sweep_record(protocol: Protocol, epochs: int) -> SweepRecord:
    return SweepRecord(
        name=NAME,
        space="mutag",
        space_definition={},
        dataset="mutag",
        fingerprint="f",
        split_hash="s",
        metric="accuracy",
        protocol=protocol,
        method="listed",
        seed=0,
        trials=0,
        epochs=epochs,
    )


if __name__ == "__main__":
    main()
