"""Plants faults in a copy of the project, one at a time: which part of the check notices each?

They are those of ``faults/*.toml`` in the Triton kernels, and all of ``faults/gpu.toml``. A fault
is noticed when a check fails, or when a process dies of it. It is BROKEN where the changed code
cannot be run at all, and UNNOTICED where all is well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from mutations import CANNOT_RUN, FAULTS, Fault, NotFoundError, Verdict, copy_project, load_faults

from gpu_checks.part_list import Part
from gpu_checks.run import ROWS, Row, failed, read_rows

KERNELS = "pdf_search/kernels/triton/"


def try_all(arguments: argparse.Namespace, parts: Sequence[Part]) -> int:
    """Try the faults whose names have one of the words, or all; the exit code is 1 if any stays."""
    faults = chosen(arguments.mutations)
    if not faults:
        raise SystemExit(f"no such fault is called {' or '.join(arguments.mutations)}")
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
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
    """Run the copy's own check, up to the first failure."""
    with tempfile.TemporaryDirectory() as out:
        command = [
            sys.executable, "-W", "ignore", str(folder / "benchmarks" / "gpu_check.py"), "--first",
            "--device", arguments.device, "--kernels", arguments.kernels, "--out", out,
            "--seconds", str(arguments.seconds), "--threads", str(arguments.threads),
            "--parts", *(part.name for part in parts),
        ]  # fmt: skip
        for name in ("data", "data_root"):
            if getattr(arguments, name) is not None:
                command += [f"--{name.replace('_', '-')}", str(getattr(arguments, name).resolve())]
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        rows = read_rows(Path(out) / ROWS, 0)
    return verdict_of(rows, done)


def verdict_of(rows: Sequence[Row], done: subprocess.CompletedProcess[str]) -> Verdict:
    wrong = next((row for row in rows if failed(row)), None)
    if wrong is None:
        said = " ".join((done.stdout + done.stderr).split())[-200:]
        return Verdict(False, "UNNOTICED" if done.returncode == 0 else f"BROKEN: {said}")
    if "failed" not in wrong:
        return Verdict(
            True, f"{wrong['part']}: {wrong['what']}, {wrong.get('worst', '')}".strip(", ")
        )
    end = " ".join(wrong["failed"].split())[-160:]
    if CANNOT_RUN.search(wrong["failed"]):
        return Verdict(False, f"BROKEN: {wrong['part']}: {end}")
    return Verdict(True, f"{wrong['part']}: {end}")
