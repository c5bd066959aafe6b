"""Starts Ray on this machine or connects to a cluster, and checks the cluster's nodes.

A session prints nothing, writes nothing to the home folder, and imports nothing from the current
folder.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from pdf_search.data import Progress, silent
from pdf_search.errors import ResourceError
from pdf_search.signals import held
from pdf_search.sweep.resources import Node, this_machine
from pdf_search.sweep.tune.cluster.address import check_answers
from pdf_search.sweep.tune.cluster.nodes import PROBE_SECONDS, alive
from pdf_search.sweep.tune.logs import logging_to, standard_error_kept
from pdf_search.sweep.tune.own_processes import own_processes
from pdf_search.sweep.tune.ray_internals import replaced
from pdf_search.sweep.tune.surroundings import (
    ray_folder,
    surroundings,
    use_token,
    why_refused,
)

OBJECT_STORE_BYTES = 128 * 1024**2  # little, because on one machine workers map the data's files
_kept_open: list[Path] = []  # folder of the session of `one_ray`
STARTS = "starting Ray; a worker's first epoch takes longer, as it loads or compiles its kernels"
SLOW = "timed out during startup"
QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}


@contextmanager
def ray_session(
    cpus: int, gpus: int, address: str | None, log: Path, say: Progress = silent
) -> Iterator[None]:
    """Run Ray on this machine, or connect to a cluster, inside a ``with`` block.

    Ray's messages go to the file ``log``. Inside ``one_ray``, its session is used. Where the caller
    has started Ray in this process, that Ray is used and left running.

    Raises:
        ResourceError: the cluster cannot be reached, Ray cannot start here, or another one than
            that of ``address`` runs in this process.
    """
    if address is None and (_kept_open or ray_runs()):
        with _as_it_runs(), logging_to(log):
            yield
        return
    with _started(cpus, gpus, address, log.parent, say), logging_to(log):
        yield


def ray_runs() -> bool:
    """Whether the caller has started Ray in this process, or connected it to one."""
    if "ray" not in sys.modules or _kept_open:
        return False
    import ray  # noqa: PLC0415

    return bool(ray.is_initialized())


def _as_it_runs() -> AbstractContextManager[None]:
    return nullcontext() if _kept_open else surroundings("as it runs")


@contextmanager
def one_ray(folder: Path) -> Iterator[None]:
    """Run Ray on this machine for all sweeps inside a ``with`` block, one after the other.

    Without it, each sweep starts a session of its own.
    """
    here = this_machine()
    with _started(int(here.cpus), int(here.gpus), None, folder, silent):
        _kept_open.append(folder)
        try:
            yield
        finally:
            _kept_open.clear()


@contextmanager
def _started(
    cpus: int, gpus: int, address: str | None, folder: Path, say: Progress
) -> Iterator[None]:
    with surroundings(address):
        import ray  # noqa: PLC0415

        if ray.is_initialized():
            raise ResourceError(
                f"Ray runs in this process already, and --address {address} is given too: leave "
                "it out to use the Ray that runs, or ray.shutdown() before"
            )
        with own_processes(say) if address is None else nullcontext():
            try:
                with _folder_without_code(folder):
                    _connect(cpus, gpus, address, say)
                yield
            finally:
                _disconnect()


def _disconnect() -> None:
    import ray  # noqa: PLC0415

    # At its end Ray's compiled part sets SIGTERM to its default, which Python does not know of.
    with held((signal.SIGTERM,)):
        ray.shutdown()


def _connect(cpus: int, gpus: int, address: str | None, say: Progress) -> None:
    with _own_sigterm(say), _own_signals(say):
        if address is None:
            _start_here(cpus, gpus, say)
        else:
            _join(address)


def _join(address: str) -> None:
    import ray  # noqa: PLC0415

    check_answers(address)
    has_token = use_token()
    with standard_error_kept() as kept:
        try:
            ray.init(address=address, **QUIET)
        except (ConnectionError, RuntimeError, ValueError) as error:
            kept.seek(0)
            why = why_refused(kept.read(), has_token) or (
                f"no Ray cluster there ({error}). Check `ray status` on the head node, and that "
                "its Ray is of the same version."
            )
            raise ResourceError(f"--address {address}: {why}") from error


def _start_here(cpus: int, gpus: int, say: Progress) -> None:
    import ray  # noqa: PLC0415

    folder, note = ray_folder()
    if note:
        say(f"note: {note}")
    say(STARTS)
    start = partial(
        ray.init,
        address="local",
        num_cpus=cpus,
        num_gpus=gpus,
        include_dashboard=False,
        object_store_memory=OBJECT_STORE_BYTES,
        _temp_dir=str(folder),
        **QUIET,
    )
    try:
        with _on_loopback(say):
            _twice(start, say)
    except Exception as error:  # Ray raises whatever it is, plain Exception included
        raise ResourceError(
            f"Ray cannot start on this machine ({type(error).__name__}: {error}). Its logs are in "
            f"{folder}/session_latest/logs; `pdf-search doctor` looks for the cause"
        ) from error


def _own_sigterm(say: Progress) -> AbstractContextManager[None]:
    # Ray's handler would end the program at once, with exit code 15.
    without = "SIGTERM while Ray starts ends the program with exit code 15"
    name = "set_sigterm_handler"
    return replaced("ray._private.utils", name, lambda _: lambda _handler: None, say, without)


def _own_signals(say: Progress) -> AbstractContextManager[None]:
    # Its compiled part handles SIGTERM too: it prints a stack in C++, also if another thread gets
    # the signal before our handler is set again.
    def make(core_worker: Callable[..., Any]) -> Callable[..., Any]:
        def made(*words: Any) -> Any:
            said = ""
            try:
                with held(), standard_error_kept() as kept:
                    try:
                        return core_worker(*words)
                    except Exception:
                        kept.seek(0)
                        said = kept.read()
                        raise
            finally:
                sys.stderr.write(said)

        return made

    return replaced("ray._raylet", "CoreWorker", make, say, "SIGTERM ends the program in C++")


def _on_loopback(say: Progress) -> AbstractContextManager[None]:
    # Ray has this for Windows and macOS alone; on Linux its ports are open to the network.
    name, without = "ENABLE_RAY_CLUSTER", "other machines reach Ray's ports, which ask for a token"
    return replaced("ray._private.ray_constants", name, lambda _: False, say, without)


def _twice(start: Callable[[], object], say: Progress) -> None:
    """Start Ray, and try once more if it was too slow.

    Ray gives up after half a minute. On a busy machine the second try is faster, since the files
    were read by then.
    """
    try:
        start()
    except Exception as error:
        if SLOW not in str(error):
            raise
        say("note: Ray did not start within half a minute: trying once more")
        start()


@contextmanager
def _folder_without_code(folder: Path) -> Iterator[None]:
    """Change to a folder without code, because workers import from the driver's current folder."""
    old = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(old)


def try_ray() -> str:
    """Start Ray as a sweep does, import this package in a worker, and end Ray.

    Gives the folder that the worker imports the package from.

    Raises:
        ResourceError: Ray does not start, or its worker does not answer.
    """
    from ray.exceptions import RayError  # noqa: PLC0415

    # Defined here so that it travels by value.
    def where() -> str:
        import pdf_search  # noqa: PLC0415
        from pdf_search.training import run_trial  # noqa: F401, PLC0415

        return pdf_search.__path__[0]

    with tempfile.TemporaryDirectory() as name, ray_session(1, 0, None, Path(name) / "log"):
        import ray  # noqa: PLC0415

        try:
            return str(ray.get(ray.remote(where).remote(), timeout=PROBE_SECONDS))
        except RayError as error:
            raise ResourceError(f"a worker of Ray fails: {error}") from error


def cluster_nodes() -> list[Node]:
    """The living nodes of the connected cluster."""
    return [
        Node(
            node["NodeManagerHostname"],
            node["Resources"].get("CPU", 0.0),
            node["Resources"].get("GPU", 0.0),
        )
        for node in alive()
    ]


def describe_cluster(address: str, say: Progress) -> list[Node]:
    """Connect to a running cluster, list its nodes, and disconnect.

    ``say`` is told so, because Ray waits in silence for a cluster that is just ending.

    Raises:
        ResourceError: the cluster cannot be reached.
    """
    say(f"connects to the Ray at {address}")
    with surroundings(address), tempfile.TemporaryDirectory() as name:
        with _folder_without_code(Path(name)):
            _connect(0, 0, address, silent)
        try:
            return cluster_nodes()
        finally:
            _disconnect()
