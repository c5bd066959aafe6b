"""Runs the parts one after another, each in a process with its own limit of time.

On a CPU the time is that of the processor: how long a busy machine lets a part wait says nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpu_checks.part_list import Part, limit_of

Row = dict[str, Any]
HEADER = "| part | | s | CPU s | peak MiB | nearest to its limit |\n|---|---|---|---|---|---|\n"
ROWS, SUMMARY, LOG = "rows.jsonl", "summary.md", "log.txt"
WAITS = 30  # a part that hangs is ended after so many times its limit of processor time


def run_all(arguments: argparse.Namespace, parts: Sequence[Part]) -> int:
    """Run the parts; returns the exit code."""
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    clock = processor_seconds if arguments.device == "cpu" else time.monotonic
    end = clock() + arguments.seconds
    bad = False
    with (out / SUMMARY).open("a", encoding="utf-8") as summary:
        summary.write(f"\n`{' '.join(sys.argv)}`\n\n{HEADER}")
        for part in parts:
            left = end - clock()
            rows = list(run_part(part, arguments, min(left, limit_of(part, arguments.device))))
            summary.write(line_of(part, rows) + "\n")
            summary.flush()
            bad |= any(failed(row) for row in rows)
            if bad and arguments.first:
                break
    print(f"{'FAILED' if bad else 'all well'}: see {out / SUMMARY}", flush=True)
    return int(bad)


def run_part(part: Part, arguments: argparse.Namespace, seconds: float) -> Iterator[Row]:
    """Run a part in its own process; yields its rows when it has ended, and what went wrong."""
    if seconds < 5:
        yield shown({"part": part.name, "failed": "no time was left for it: --parts, --seconds"})
        return
    path = arguments.out / ROWS
    start = path.stat().st_size if path.exists() else 0
    command = [sys.executable, "-W", "ignore", *sys.argv, "--child", part.name]
    on_cpu = arguments.device == "cpu"
    if on_cpu:
        command += ["--limit", str(seconds)]
    began = time.monotonic()
    with (arguments.out / LOG).open("a", encoding="utf-8") as log:
        log.write(f"== {part.name}\n")
        log.flush()
        process = subprocess.Popen(command, env=environment(arguments), stderr=log)
        try:
            code = process.wait(seconds * (WAITS if on_cpu else 1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
    rows = read_rows(path, start)
    yield from rows
    if code in (None, -signal.SIGXCPU):
        problem = f"it did not end within {seconds:.0f} s"
    elif code:
        problem = f"its process ended with {code}: {tail(arguments.out / LOG)}"
    elif not any("limit" in row for row in rows):
        problem = "it checked nothing"
    else:
        return
    row = {"part": part.name, "failed": problem, "seconds": time.monotonic() - began}
    append(path, row)
    yield shown(row)


def processor_seconds() -> float:
    """Processor time of all parts that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(arguments: argparse.Namespace) -> dict[str, str]:
    project = str(Path(__file__).resolve().parents[2])
    paths = [project, *filter(None, [os.environ.get("PYTHONPATH")])]
    set_here = {"PYTHONPATH": os.pathsep.join(paths), "OMP_WAIT_POLICY": "PASSIVE"}
    if arguments.kernels == "interpreter":
        set_here["TRITON_INTERPRET"] = "1"
    return {**os.environ, **set_here}


def append(path: Path, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def read_rows(path: Path, start: int) -> list[Row]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(start)
        return [json.loads(line) for line in file]


def tail(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8", errors="replace").split())[-300:]


def failed(row: Row) -> bool:
    """Whether a check failed. An error that is not a number is no error below the limit."""
    return "failed" in row or ("limit" in row and not row["error"] <= row["limit"])


def shown(row: Row) -> Row:
    print(("FAILED " if failed(row) else "") + json.dumps(row), flush=True)
    return row


def line_of(part: Part, rows: Sequence[Row]) -> str:
    """A line of the summary: how many checks held, the time, the part's own peak of memory."""
    checks = [row for row in rows if "limit" in row]
    wrong = [row for row in rows if failed(row)]
    end = next((row for row in rows if row.get("what") == "whole part"), {})
    near = max(checks, key=lambda row: row["error"] / row["limit"] if row["limit"] else 0.0,
               default=None)  # fmt: skip
    first = wrong[0].get("what", "") + f" {wrong[0].get('failed', '')[-200:]}" if wrong else ""
    state = f"FAILED {len(wrong)}: {first.strip()}" if wrong else f"{len(checks)} checks hold"
    closest = f"{near['what']}: {near['error']:.1e} of {near['limit']:.0e}" if near else ""
    return (
        f"| {part.name}: {part.what} | {' '.join(state.split())} | {end.get('seconds', 0):.0f} | "
        f"{end.get('cpu_s', 0):.0f} | {end.get('peak_mb', 0):.0f} | {closest} |"
    )
