"""What every benchmark prints and writes: the machine, the versions, the rows."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.console import Console
from rich.table import Table


def parser(description: str, seconds: float) -> argparse.ArgumentParser:
    """The options that every benchmark takes; ``seconds``: by default, for all its measurements."""
    made = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    made.add_argument("--data-root", type=Path, help="folder with raw files")
    made.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    made.add_argument("--threads", type=int, default=torch.get_num_threads())
    made.add_argument("--seconds", type=float, default=seconds, help="for all measurements")
    made.add_argument("--json", type=Path, help="write the rows to this file")
    return made


def publish(arguments: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Print the machine and the rows; write them where ``--json`` says."""
    print(describe_machine(arguments.device, arguments.threads))
    print_rows(rows)
    if arguments.json:
        write_rows(arguments.json, rows)


def describe_machine(device: str, threads: int) -> str:
    """Hardware, versions, commit, command and date, one a line."""
    hardware = torch.cuda.get_device_name() if device.startswith("cuda") else processor()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    load = os.getloadavg()[0]
    return "\n".join(
        (
            f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            f"hardware  {hardware}, {os.cpu_count()} cores, {threads} threads, load {load:.1f}",
            f"versions  Python {platform.python_version()}, torch {torch.__version__}",
            f"commit    {commit}",
            f"command   python {' '.join(sys.argv)}",
        )
    )


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def print_rows(rows: list[dict[str, Any]]) -> None:
    table = Table()
    for name in rows[0]:
        table.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        table.add_row(*(cell(value) for value in row.values()))
    Console(width=200).print(table)


def standard_error(values: npt.ArrayLike) -> Any:
    """The standard error of the mean over the first axis, of the values that are not NaN."""
    array = np.asarray(values, dtype=float)
    return np.nanstd(array, axis=0, ddof=1) / (~np.isnan(array)).sum(axis=0) ** 0.5


def cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(rows, indent=1) + "\n")
