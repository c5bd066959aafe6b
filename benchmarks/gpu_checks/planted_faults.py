"""Plants faults in a copy of the project, one at a time: which part of the check notices each?

They are those of ``faults/*.toml`` in the Triton kernels, and all of ``faults/gpu.toml``. A fault
is noticed when a check fails, or when a process dies of it. It is BROKEN where the changed code
cannot be run at all, and UNNOTICED where all is well.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from mutations import (
    CANNOT_RUN,
    CONTEXT,
    FAULTS,
    Fault,
    NotFoundError,
    Verdict,
    copy_project,
    load_faults,
)

from gpu_checks import child
from gpu_checks.part_list import Part, limit_of
from gpu_checks.run import ROWS, WAITS, Row, environment, failed, read_rows

KERNELS = "pdf_search/kernels/triton/"
# Imported once and inherited by the process of each fault; nothing of ours is among them.
PRELOAD = ["torch", "triton", "pandas", "pydantic", "pyarrow", "scipy.sparse", "torchmetrics"]


def try_all(arguments: argparse.Namespace, parts: Sequence[Part]) -> int:
    """Try the faults whose names have one of the words, or all; the exit code is 1 if any stays."""
    faults = chosen(arguments.mutations)
    if not faults:
        raise SystemExit(f"no such fault is called {' or '.join(arguments.mutations)}")
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    os.environ.update(environment(arguments))
    CONTEXT.set_forkserver_preload(PRELOAD)
    began, unnoticed = time.monotonic(), 0
    with (
        tempfile.TemporaryDirectory(prefix="planted-") as place,
        (out / "faults.md").open("w") as file,
    ):
        folder = Path(place)
        copy_project(folder)
        whole = run_check(folder, arguments, parts)
        if whole.noticed or whole.words != "UNNOTICED":
            raise SystemExit(f"without any fault: {whole.words}")
        say(file, f"without any fault all is well ({time.monotonic() - began:.0f} s)\n\n"
                  "| fault | noticed by | s |\n|---|---|---|")  # fmt: skip
        for fault in faults:
            start = time.monotonic()
            verdict = try_fault(folder, fault, arguments, parts)
            unnoticed += not verdict.noticed
            say(file, f"| {fault.name} | {verdict.words} | {time.monotonic() - start:.0f} |")
        say(file, f"\n{len(faults) - unnoticed} of {len(faults)} faults noticed, "
                  f"{time.monotonic() - began:.0f} s")  # fmt: skip
    return 1 if unnoticed else 0


def chosen(words: Sequence[str]) -> list[Fault]:
    ours = set(tomllib.loads((FAULTS / "gpu.toml").read_text(encoding="utf-8")))
    faults = [f for f in load_faults() if f.file.startswith(KERNELS) or f.name in ours]
    return [f for f in faults if not words or any(word in f.name for word in words)]


def say(file: object, text: str) -> None:
    print(text, flush=True)
    print(text, file=file, flush=True)  # type: ignore[call-overload]


def try_fault(
    folder: Path, fault: Fault, arguments: argparse.Namespace, parts: Sequence[Part]
) -> Verdict:
    """Plant the fault, run the parts until one fails, take the fault out again."""
    file = folder / fault.file
    before = file.read_bytes()
    try:
        file.write_text(fault.planted_in(before.decode()), encoding="utf-8")
        return run_check(folder, arguments, parts)
    except NotFoundError as error:
        return Verdict(False, f"UNNOTICED: place not found: {error}")
    finally:
        file.write_bytes(before)


def run_check(folder: Path, arguments: argparse.Namespace, parts: Sequence[Part]) -> Verdict:
    """Run the check on the copy, up to the first failure."""
    for part in parts:
        limit = limit_of(part, arguments.device)
        with tempfile.TemporaryDirectory() as out:
            here = argparse.Namespace(
                **vars(arguments)
                | {"out": Path(out), "child": part.name, "first": True}
                | ({"limit": limit} if arguments.device == "cpu" else {})
            )
            process = CONTEXT.Process(target=_part_of_the_copy, args=(folder, here))
            process.start()
            process.join(limit * (WAITS if arguments.device == "cpu" else 1))
            if process.exitcode in {None, -signal.SIGXCPU}:
                process.kill()
                return Verdict(False, f"BROKEN: {part.name} did not end within {limit:.0f} s")
            rows = read_rows(Path(out) / ROWS, 0)
        if process.exitcode:
            return Verdict(True, f"{part.name}: its process ended with {process.exitcode}")
        wrong = next((row for row in rows if failed(row)), None)
        if wrong is not None:
            return verdict_of(wrong)
    return Verdict(False, "UNNOTICED")


def _part_of_the_copy(folder: Path, arguments: argparse.Namespace) -> None:
    """In a process of its own, which has not imported pdf_search yet: the copy's is taken."""
    sys.dont_write_bytecode = True  # files change faster than their times tell
    sys.path.insert(0, str(folder))
    with open(os.devnull, "w") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    child.run_part(arguments)
    pdf_search = sys.modules["pdf_search"]
    assert str(pdf_search.__file__).startswith(str(folder)), "the copy was not imported"


def verdict_of(wrong: Row) -> Verdict:
    if "failed" not in wrong:
        return Verdict(
            True, f"{wrong['part']}: {wrong['what']}, {wrong.get('worst', '')}".strip(", ")
        )
    end = " ".join(wrong["failed"].split())[-160:]
    if CANNOT_RUN.search(wrong["failed"]):
        return Verdict(False, f"BROKEN: {wrong['part']}: {end}")
    return Verdict(True, f"{wrong['part']}: {end}")
