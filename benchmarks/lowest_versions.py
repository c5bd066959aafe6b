"""Installs the lowest versions that pyproject.toml allows, apart, and tests with them.

``python benchmarks/lowest_versions.py FOLDER [PYTEST WORD ...]`` makes FOLDER/venv (several GB:
that torch comes with CUDA) and FOLDER/constraints.txt. Without words it runs every test without
Ray and one small sweep. A folder that is there is used again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SWEEP = "sweep freesolv --name lowest --trials 2 --epochs 1 --top-k 1 --seeds 1"


def run(*words: object, folder: Path = ROOT) -> None:
    print("$", *words, flush=True)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([str(word) for word in words], cwd=folder, env=environment, check=True)


def install(folder: Path) -> Path:
    """An environment with the lowest versions; its Python."""
    constraints, python = folder / "constraints.txt", folder / "venv" / "bin" / "python"
    resolver = folder / "resolver" / "bin" / "python"
    run(sys.executable, "-m", "venv", resolver.parents[1])
    run(resolver, "-m", "pip", "install", "--quiet", "uv")
    version = ".".join(map(str, sys.version_info[:2]))
    lowest = ("--resolution", "lowest-direct", "--extra", "dev", "--python-version", version)
    plain = ("--quiet", "--no-annotate", "--no-header", "--output-file", constraints)
    run(
        resolver, "-m", "uv", "pip", "compile", *lowest, *plain, "pyproject.toml", "-o", constraints
    )
    run(sys.executable, "-m", "venv", python.parents[1])
    run(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--constraint",
        constraints,
        "--editable",
        ".[dev]",
    )
    return python


def main(folder: Path, words: list[str]) -> None:
    folder = folder.absolute()
    python = folder / "venv" / "bin" / "python"
    if not (folder / "installed").exists():
        python = install(folder)
        (folder / "installed").touch()
    run(python, "-m", "pip", "freeze", "--exclude-editable")
    if words:
        run(python, "-m", "pytest", *words)
        return
    run(python, "-m", "pytest", "-n", "2", "-m", "not ray")
    trainer = "import sys; from pdf_search.cli import main; main()"
    (folder / "work").mkdir(exist_ok=True)
    run(python, "-c", trainer, *SWEEP.split(), folder=folder / "work")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="of the environment, kept")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="for pytest")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse()
    main(arguments.folder, arguments.words)
