"""Says in the first second what is missing, and how to bring it along."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from importlib.util import find_spec

from gpu_checks.part_list import Part

# What training imports; data sets, molecules, Ray and the database are not among them.
TRAINING = {
    "torch": "torch",
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "pyarrow": "pyarrow",
    "psutil": "psutil",
    "filelock": "filelock",
    "yaml": "pyyaml",
    "torchmetrics": "torchmetrics",
    "lazy_loader": "lazy-loader",
    "pydantic": "pydantic",
    "pydantic_core": "pydantic-core",
    "annotated_types": "annotated-types",
    "typing_inspection": "typing-inspection",
}
ON_GPU = {"triton": "triton"}
ON_CPU = {"numba": "numba"}
CARRY = """\
Carry them as wheels: where pip reaches a registry,
    python3 -m pip download --only-binary=:all: --no-deps --python-version X.Y \\
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 -d .whl {names}
(X.Y: the Python there; pydantic-core in the version that pydantic's metadata names), and there
    python3 -m pip install --no-index --no-deps --target /tmp/site .whl/*.whl
    export PYTHONPATH=/tmp/site"""


def told(parts: Sequence[Part], arguments: argparse.Namespace) -> bool:
    """Print what is missing; returns whether the parts can run."""
    missing = missing_packages(parts, arguments)
    problems = []
    if missing:
        problems.append(f"missing packages: {', '.join(missing)}\n{CARRY}".replace(
            "{names}", " ".join(missing)))  # fmt: skip
    if arguments.device == "cuda" and not shutil.which("nvidia-smi"):
        problems.append("no nvidia-smi: is there a GPU? Without one: --device cpu")
    if arguments.data is None and arguments.data_root is None and arguments.device == "cuda":
        problems.append("no data: --data FOLDER, made by --pack FOLDER where ZINC's files are")
    if arguments.data is not None and not any((arguments.data / "prepared").glob("*/meta.json")):
        problems.append(f"{arguments.data} holds no prepared data: make it with --pack")
    print("\n".join(problems) if problems else "nothing is missing", flush=True)
    return not missing and not any(p.startswith(("no data", str(arguments.data))) for p in problems)


def missing_packages(parts: Sequence[Part], arguments: argparse.Namespace) -> list[str]:
    """The packages that these parts import and that are not installed, as pip names them."""
    wanted = dict(TRAINING)
    wanted |= ON_GPU if uses_triton(arguments) else ON_CPU
    wanted |= {name: name for part in parts for name in part.needs}
    return [package for name, package in wanted.items() if find_spec(name) is None]


def uses_triton(arguments: argparse.Namespace) -> bool:
    return bool(arguments.device == "cuda" or arguments.kernels == "interpreter")
