"""One part in its own process: its rows are written as they are known."""

from __future__ import annotations

import argparse
import resource
import time
import traceback
from importlib import import_module

from gpu_checks.part_list import PARTS
from gpu_checks.run import ROWS, append, failed, shown


def run_part(arguments: argparse.Namespace) -> int:
    """Run the part named by ``--child``; an exception is a row too."""
    began = time.monotonic()
    path, name = arguments.out / ROWS, arguments.child
    if arguments.limit:  # of processor time, after which the system ends this process
        resource.setrlimit(resource.RLIMIT_CPU, (int(arguments.limit) + 1, resource.RLIM_INFINITY))
    if arguments.kernels == "interpreter":
        from gpu_checks import interpreter  # noqa: PLC0415

        interpreter.use_everywhere()
    from gpu_checks.bench import Bench  # noqa: PLC0415

    def keep(row: dict[str, object]) -> None:
        append(path, shown({"part": name, **row}))

    try:
        bench = Bench.of(arguments)
        last = time.monotonic()
        for row in import_module(f"gpu_checks.parts.{module_of(name)}").rows(bench):
            keep({**row, "seconds": round(time.monotonic() - last, 3)})
            last = time.monotonic()
            if arguments.first and failed(row):
                break
        peak = bench.peak()
    except Exception:
        keep({"failed": traceback.format_exc(limit=-6)})
        return 0
    seconds = round(time.monotonic() - began, 1)
    cpu = round(time.process_time(), 1)
    keep({"what": "whole part", "peak_mb": peak, "seconds": seconds, "cpu_s": cpu})
    return 0


def module_of(name: str) -> str:
    return next(part.module or part.name for part in PARTS if part.name == name)
