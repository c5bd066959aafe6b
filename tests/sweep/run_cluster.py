"""A sweep on two nodes of one machine, of which one is killed: ``run_cluster.py OUT CACHE SPACE``.

Before that, a worker is killed.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":  # before Ray is imported, and not where a test imports this
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}

import ray.cloudpickle
from ray.cluster_utils import Cluster

from pdf_search.errors import StoreError
from pdf_search.records import Phase, State, TrialRecord
from pdf_search.results import Store
from pdf_search.space import load_space
from pdf_search.sweep import Functions, SweepOptions, plan_sweep, run_sweep

ROOT = Path(__file__).parents[2]
NAME = "lost"


def main(out: str, cache: str, space: str) -> int:
    sys.path.insert(0, str(ROOT))
    from tests.sweep import simulated  # noqa: PLC0415

    ray.cloudpickle.register_pickle_by_value(simulated)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    node = cluster.add_node(num_cpus=1)
    options = SweepOptions(
        name=NAME,
        out=Path(out),
        cache=Path(cache),
        trials=4,
        method="random",
        address=cluster.address,
        concurrent=2,
        top_k=0,
        checkpoint_seconds=0.001,
    )
    plan = plan_sweep(load_space(space), options)

    def faults() -> None:
        with simulated.hold(Path(os.environ["SIMULATED_HOLD"]), Phase.SEARCH):
            one, _ = wait_for_two(plan.folder.database, retries=0)
            os.kill(worker_of(one), signal.SIGKILL)
            print("worker killed", flush=True)
            wait_for_two(plan.folder.database, retries=1)
            cluster.remove_node(node, allow_graceful=False)
            print("node killed", flush=True)
            # Its worker may live for a moment: held, it does not end its trial meanwhile.
            wait_for_retries(plan.folder.database, 2)

    threading.Thread(target=faults, daemon=True).start()
    functions = Functions(simulated.simulated_trial, simulated.simulated_baseline)
    result = run_sweep(plan, functions=functions)
    print(f"ended {result.ended!r}")
    cluster.shutdown()
    return 0


def wait_for_two(database: str, retries: int) -> list[TrialRecord]:
    """Wait until two trials are held that have checkpoints and so many retries together.

    The one that is not held has ended then.
    """
    while True:
        time.sleep(0.1)
        with suppress(StoreError), Store(database, create=False) as store:
            trials = store.trials(NAME, Phase.SEARCH)
            held = [t for t in trials if t.state is State.RUNNING and t.epochs_done == 2]
            ended = any(trial.state is State.COMPLETE for trial in trials)
            again = sum(trial.retries for trial in held)
            if ended and len(held) == 2 and again == retries and all(t.checkpoint for t in held):
                return held


def wait_for_retries(database: str, count: int) -> None:
    while True:
        time.sleep(0.1)
        with suppress(StoreError), Store(database, create=False) as store:
            if sum(trial.retries for trial in store.trials(NAME, Phase.SEARCH)) == count:
                return


def worker_of(trial: TrialRecord) -> int:
    """The process that trained a trial's last epoch."""
    lines = Path(os.environ["SIMULATED_LOG"]).read_text().splitlines()
    return int(next(ln.split()[3] for ln in reversed(lines) if ln.split()[1] == trial.config_hash))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
