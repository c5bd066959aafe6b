"""A database's password is seen nowhere: not by `ps`, not in what is printed or recorded."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pdf_search.results import masked, parse_url
from pdf_search.sweep.folder import SweepFolder
from tests.patience import PATIENCE

PROGRAM = [sys.executable, "-m", "pdf_search"]
SECRET = "s3cret w0rd"
URLS = (
    "postgresql://ann:s3cret%20w0rd@{place}/results",
    "postgresql://ann@{place}/results?password=s3cret+w0rd",
)


def shows(text: str) -> bool:
    return any(part in text for part in ("s3cret", "w0rd"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("words", [["--db", "{}"], ["--db={}"]])
def test_ps_does_not_show_it_and_the_server_gets_it(url: str, words: list[str]) -> None:
    pytest.importorskip("psycopg", reason="the extra pdf-search[postgresql] is not installed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        given = url.format(place=f"127.0.0.1:{server.getsockname()[1]}")
        command = [*PROGRAM, "list", *(word.format(given) for word in words)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            connection, _ = server.accept()
            with connection:
                own = Path(f"/proc/{process.pid}")
                assert not shows((own / "cmdline").read_text())
                assert "ann@127.0.0.1" in (own / "cmdline").read_text()
                environment = (own / "environ").read_bytes().split(b"\0")
                assert f"PGPASSWORD={SECRET}".encode() in environment
            out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode
        assert not shows(out.decode())


@pytest.mark.parametrize("url", URLS)
def test_messages_and_recorded_commands_mask_it(url: str) -> None:
    given = url.format(place="host")
    assert parse_url(given).password == SECRET
    for word in (given, f"--db={given}"):
        assert not shows(masked(word))
        assert "ann:***@host/results" in masked(word)
    assert not shows(SweepFolder.of(Path("runs"), "night", given).how_to_resume)
    assert masked("--set=a://b") == "--set=a://b"
    assert masked("s3://bucket/folder") == "s3://bucket/folder"
