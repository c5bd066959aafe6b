"""A sweep on a Ray cluster of two nodes on this machine, which asks for a token."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.records import Phase, State
from pdf_search.results import Store
from tests.patience import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = [sys.executable, "-m", "pdf_search"]
SMALL = (
    *("--trials", "2", "--epochs", "2", "--top-k", "1", "--seeds", "1"),
    *("--concurrent", "2", "--method", "random", "--yes"),
)
pytestmark = pytest.mark.ray


class Cluster:
    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.home = folder / "home"
        self.home.mkdir()
        mine = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
        self.environment = {**mine, "HOME": str(self.home)}
        self.log = folder / "cluster.log"

    def start(self) -> subprocess.Popen[bytes]:
        search = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [EXAMPLES / "two_nodes.sh", str(self.port)],
                env={**self.environment, "PATH": search},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def both_run(self) -> bool:
        return self.log.read_text().count("Ray runtime started") == 2

    def sweep(self, folder: Path, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        words = ["sweep", EXAMPLES / "hydration.yaml", "--name", name, *SMALL]
        words += ["--address", f"127.0.0.1:{self.port}"]
        words += [word for key, value in more.items() for word in (f"--{key}", value)]
        return subprocess.run(
            [*PROGRAM, *map(str, words), "--out", str(folder), "--cache", str(folder / "cache")],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    process = made.start()
    try:
        until = time.monotonic() + PATIENCE
        while not made.both_run():
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(made.log.read_text())
            time.sleep(0.5)
        yield made
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=PATIENCE)


def test_a_sweep_uses_the_token_that_lies_here_or_says_what_is_missing(
    cluster: Cluster, tmp_path: Path
) -> None:
    done = cluster.sweep(tmp_path, "first", storage=(tmp_path / "far").as_uri())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Unauthenticated" not in done.stderr
    with Store(str(tmp_path / "first" / "results.db"), create=False) as store:
        trials = [*store.trials("first", Phase.SEARCH), *store.trials("first", Phase.CONFIRM)]
    assert {trial.state for trial in trials} == {State.COMPLETE}
    kept = [trial.checkpoint for trial in trials if trial.origin != "baseline"]
    assert len(kept) == 3
    for path in kept:  # as a URI, and there
        assert path.startswith((tmp_path / "far" / "first").as_uri())
        assert Path(path.removeprefix("file://"), "checkpoint.pt").is_file()

    (cluster.home / ".ray" / "auth_token").unlink()
    done = cluster.sweep(tmp_path, "second")
    assert done.returncode == 1
    assert "the cluster asks for a token. Copy ~/.ray/auth_token of its head" in done.stderr
    assert "gcs_client" not in done.stderr
    assert "no Ray cluster" not in done.stderr
