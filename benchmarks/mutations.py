"""Faults planted in a copy of the project, one at a time: does a test notice each?

The faults are in ``faults/*.toml``, one table each: ``file``, the text to find there (``old``, once
in the file), what to put in its place (``new``), and the tests that are likely to notice. ``old``
and ``new`` may be lists of equal length.

A fault is noticed when a test fails. It is UNNOTICED when all pass or its place is not found, and
BROKEN when the changed code cannot be run at all, which says nothing about the tests. The exit code
is 0 if every fault was noticed.

    python benchmarks/mutations.py                    all faults, each on its own tests
    python benchmarks/mutations.py softmax resume     those with such a word in the name
    python benchmarks/mutations.py --all-tests NAME   on all quick tests
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
FAULTS = Path(__file__).resolve().parent / "faults"
OF_THE_LIST = "tests/test_faults.py"  # it looks for the places, so it fails with any fault
QUICK = ("-m", "not ray and not slow", f"--ignore={OF_THE_LIST}")
LIMIT = 1800  # seconds for the tests of one fault
# Imported once and inherited by the process of each fault; nothing of ours is among them.
PRELOAD = [
    "numba",
    "optuna",
    "pandas",
    "pyarrow",
    "ray.tune",
    "scipy.sparse",
    "sklearn",
    "sqlalchemy",
]
PRELOAD += ["torch", "torch_geometric", "torchmetrics.functional"]
CONTEXT = multiprocessing.get_context("forkserver")
# What a test run says of code that cannot be run: no test has judged its values.
CANNOT_RUN = re.compile(
    r"\b(SyntaxError|IndentationError|ImportError|ModuleNotFoundError|NameError|"
    r"UnboundLocalError|CompilationError|TypingError|Timeout)\b(:| \(>)"
)


class NotFoundError(Exception):
    """The place of a fault is not in the code, or there several times."""


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    edits: tuple[tuple[str, str], ...]  # what is there, what to put there
    tests: tuple[str, ...]  # files, or tests in them

    def planted_in(self, text: str) -> str:
        """The text with the fault. Raises NotFoundError."""
        for old, new in self.edits:
            if text.count(old) != 1:
                raise NotFoundError(f"{self.file} has {text.count(old)} times: {old!r}")
            text = text.replace(old, new)
        if self.file.endswith(".py"):
            ast.parse(text, self.file)
        return text


@dataclass(frozen=True)
class Verdict:
    noticed: bool
    words: str  # the test that failed, or why there is none


def load_faults() -> list[Fault]:
    faults = []
    for file in sorted(FAULTS.glob("*.toml")):
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            old, new = (x if isinstance(x, list) else [x] for x in (table["old"], table["new"]))
            edits = tuple(zip(old, new, strict=True))
            faults.append(Fault(name, table["file"], edits, tuple(table["tests"])))
    return faults


def copy_project(folder: Path) -> None:
    """The files that git knows, as they are in the work tree, and kernels compiled from them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    compiled = [str(p.relative_to(PROJECT)) for p in PROJECT.glob("pdf_search/**/*.nb[ic]")]
    for name in filter(None, [*listed.stdout.split("\0"), *compiled]):
        if (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, folder / name)


def run_tests(folder: Path, tests: Sequence[str]) -> Verdict:
    """Run tests of the copy: the first failure, or that all passed."""
    report, output = folder / ".report.xml", folder / ".output"
    report.unlink(missing_ok=True)
    arguments = ["-q", "-x", "-p", "no:cacheprovider", f"--timeout={LIMIT}"]
    arguments += [f"--junitxml={report}", *tests]
    process = CONTEXT.Process(target=_pytest, args=(folder, output, arguments))
    process.start()
    process.join(LIMIT)
    if process.exitcode is None:
        process.kill()
        return Verdict(False, f"BROKEN: no end after {LIMIT} s")
    if process.exitcode == 0:
        return Verdict(False, "UNNOTICED")
    if process.exitcode != 1 or not report.is_file():
        end = _end(output.read_text(encoding="utf-8", errors="replace"))
        return Verdict(False, f"BROKEN: pytest ended with {process.exitcode}: {end}")
    return _first_failure(report)


def _pytest(folder: Path, output: Path, arguments: list[str]) -> None:
    """In a process of its own: the copy is what is imported, there and in processes it starts."""
    os.environ["PYTHONPATH"] = str(folder)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # files change faster than their times tell
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.exit(int(pytest.main(arguments)))


def _first_failure(report: Path) -> Verdict:
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        for problem in case:
            text = f"{problem.get('message')}\n{problem.text}"
            if problem.tag == "error" or (problem.tag == "failure" and CANNOT_RUN.search(text)):
                return Verdict(False, f"BROKEN: {name}: {_end(text)}")
            if problem.tag == "failure":
                return Verdict(True, name)
    return Verdict(False, "BROKEN: no test ran")


def _end(text: str) -> str:
    return " ".join(text.split())[-200:]


def try_fault(folder: Path, fault: Fault, tests: Sequence[str]) -> Verdict:
    """Plant the fault, run the tests, take it out again."""
    file = folder / fault.file
    before, status = file.read_bytes(), file.stat()
    try:
        file.write_text(fault.planted_in(before.decode()), encoding="utf-8")
        return run_tests(folder, tests)
    except NotFoundError as error:
        return Verdict(False, f"UNNOTICED: place not found: {error}")
    except SyntaxError as error:
        return Verdict(False, f"BROKEN: {error}")
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def chosen(words: Sequence[str]) -> list[Fault]:
    faults = [f for f in load_faults() if not words or any(word in f.name for word in words)]
    if not faults:
        raise SystemExit(f"no fault is called {' or '.join(words)}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="words in the names of the faults to try")
    parser.add_argument("--all-tests", action="store_true", help="run all quick tests on each")
    arguments = parser.parse_args()
    faults = chosen(arguments.names)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    CONTEXT.set_forkserver_preload(PRELOAD)
    every = dict.fromkeys(test for fault in faults for test in fault.tests)
    with tempfile.TemporaryDirectory(prefix="mutations-") as place:
        folder = Path(place)
        copy_project(folder)
        whole = run_tests(folder, QUICK if arguments.all_tests else [*every])
        if whole.words != "UNNOTICED":
            raise SystemExit(f"without any fault: {whole.words}")
        print(
            "without any fault all of these tests pass\n\n| fault | noticed by | s |\n|---|---|---|"
        )
        unnoticed = 0
        for fault in faults:
            begun = time.monotonic()
            verdict = try_fault(folder, fault, QUICK if arguments.all_tests else fault.tests)
            unnoticed += not verdict.noticed
            seconds = time.monotonic() - begun
            print(f"| {fault.name} | {verdict.words} | {seconds:.0f} |", flush=True)
    print(f"\n{len(faults) - unnoticed} of {len(faults)} faults noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
