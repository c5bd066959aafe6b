"""A PostgreSQL server of our own: free port, temporary folder, never as root."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.patience import PATIENCE


class Server:
    """One that runs; ``stop`` is as by a crash of the machine."""

    def __init__(self, url: str, control: Callable[..., None], settings: str) -> None:
        self.url = url
        self._control = control
        self._settings = settings

    def start(self) -> None:
        self._control("-o", self._settings, "start")

    def stop(self) -> None:
        self._control("-m", "immediate", "stop")


@contextmanager
def run_server(binaries: Path) -> Iterator[Server]:
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="pdf_search_pg_"))  # short: sockets have short names
    data = folder / "data"
    options = (
        {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    )
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)

    def call(name: str, *arguments: str) -> None:
        command = [str(binaries / name), "-D", str(data), *arguments]
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            **options,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    try:
        call("initdb", "--auth=trust", "--username=tester", "--encoding=UTF8", "--no-sync")
        port = _free_port()
        settings = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        control = partial(call, "pg_ctl", "-w", "-l", str(folder / "log"))
        server = Server(f"postgresql://tester@127.0.0.1:{port}/postgres", control, settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> pwd.struct_passwd | None:
    """Whom to run the server as: ourselves (None), or as root some other user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL refuses to run as root and there is no other user")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
