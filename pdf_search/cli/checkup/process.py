"""Reports on the terminal, environment variables and limits of the process; none is a fault."""

from __future__ import annotations

import os
import resource
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from pdf_search.cli.checkup.check import Check
from pdf_search.cli.output import megabytes

SHARED_MEMORY = Path("/dev/shm")
FEW_FILES = 1024
PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "grpc_proxy")


def process_checks() -> Iterator[Check]:
    """Report the terminal's encoding, the limits, and variables that Ray or downloads read."""
    yield Check("terminal", _terminal())
    yield Check("open files", _open_files())
    if SHARED_MEMORY.is_dir():
        yield Check("shared memory", _shared_memory())
    address = os.environ.get("RAY_ADDRESS")
    if address:
        yield Check("RAY_ADDRESS", f"{address}: not used, unless a sweep has --address auto")
    proxies = [name for name in PROXIES if os.environ.get(name)]
    if proxies:
        yield Check("proxies", f"{', '.join(proxies)}: for downloads; Ray does without")


def _terminal() -> str:
    names = {str(getattr(s, "encoding", "utf-8")).lower() for s in (sys.stdout, sys.stderr)}
    poor = sorted(names - {"utf-8", "utf8"})
    if not poor:
        return "utf-8"
    return f"{', '.join(poor)}: other letters are shown by number; set PYTHONIOENCODING=utf-8"


def _open_files() -> str:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= FEW_FILES:
        return str(soft)
    return f"{soft} (up to {hard}): few for many trials at once; raise it with `ulimit -n {hard}`"


def _shared_memory() -> str:
    from pdf_search.sweep import OBJECT_STORE_BYTES

    free = shutil.disk_usage(SHARED_MEMORY).free
    if free >= OBJECT_STORE_BYTES:
        return f"{megabytes(free)} free"
    return f"{megabytes(free)} free in {SHARED_MEMORY}: Ray uses its temporary folder instead"
