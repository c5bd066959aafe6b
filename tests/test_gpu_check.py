"""The check of the GPU path: it tells right from wrong, and says what is missing."""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from benchmarks.mutations import Fault, load_faults

PROJECT = Path(__file__).parents[1]
BENCHMARKS = PROJECT / "benchmarks"
SCRIPT = BENCHMARKS / "gpu_check.py"
sys.path.insert(0, str(BENCHMARKS))

from gpu_checks import compare, run  # noqa: E402
from gpu_checks.part_list import PARTS  # noqa: E402
from gpu_checks.parts import cases, engines, kernels, recorded  # noqa: E402

from pdf_search.kernels import cpu  # noqa: E402
from tests.patience import PATIENCE  # noqa: E402

CPU = torch.device("cpu")


def check_run(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), "--out", str(out), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )


def rows(out: Path) -> list[dict[str, object]]:
    return run.read_rows(out / run.ROWS, 0)


@pytest.mark.slow
def test_the_kernels_are_right_in_the_interpreter(tmp_path: Path) -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    done = check_run(tmp_path, "--device", "cpu", "--kernels", "interpreter", "--parts", "kernels")
    assert done.returncode == 0, done.stdout[-2000:]
    found = rows(tmp_path)
    assert sum("limit" in row for row in found) > 40
    assert found[-1]["what"] == "whole part"
    summary = (tmp_path / run.SUMMARY).read_text()
    assert f"{len(found) - 1} checks hold" in summary


def test_what_is_missing_is_said_at_once_with_the_way_to_carry_it(tmp_path: Path) -> None:
    """In a Python that sees nothing but its standard library."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c",
         "import sys; sys.argv = sys.argv[1:]; sys.path.insert(0, sys.argv[0]); "
         "import gpu_check; sys.exit(gpu_check.main())",
         str(BENCHMARKS), "--device", "cpu", "--out", str(tmp_path / "out")],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    for words in ("missing packages: torch, numpy", "pydantic-core", "pip download", "--target"):
        assert words in done.stdout
    assert not (tmp_path / "out").exists()


def test_data_that_were_not_packed_are_asked_for(tmp_path: Path) -> None:
    done = check_run(tmp_path / "out", "--device", "cpu", "--data", str(tmp_path))
    assert done.returncode == 2
    assert "holds no prepared data: make it with --pack" in done.stdout


def doubled(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda *arguments: 2 * function(*arguments)


def test_a_wrong_kernel_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases.segment_product((5, 5, 30, 4, 3, 6), torch.float32)
    assert kernels.difference(case, CPU)[0] < case.limit
    monkeypatch.setattr(cpu, "grouped_product", doubled(cpu.grouped_product))
    assert kernels.difference(case, CPU)[0] > 0.5


def test_a_hidden_nan_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases.norm(40, 5, "relu", training=True)
    assert kernels.not_finite(case, CPU, float("nan")) < 1e-4
    right = cpu.norm_forward
    monkeypatch.setattr(cpu, "norm_forward", lambda *a: right(*a).nan_to_num())
    assert kernels.not_finite(case, CPU, float("nan")) == float("inf")


def test_what_is_read_or_written_outside_of_a_tensor_is_noticed() -> None:
    with (guard := compare.Guarded()):
        out = torch.ones(3, 4).new_empty(3, 4)
    assert out.isnan().all()
    assert not guard.written()
    beyond = out.as_strided((13,), (1,), out.storage_offset())
    assert beyond[12].isnan()
    beyond[12] = 1.0
    assert guard.written()


def test_a_step_that_changes_nothing_fails() -> None:
    """Unchanged parameters equal each other; what was added to them does not."""
    added = {"parameter": {"w": torch.ones(2, 3)}, "moment": {"w": torch.ones(2, 3)}}
    still = {kind: {"w": torch.zeros(2, 3)} for kind in added}
    assert not any(run.failed(row) for row in recorded.compared("step", added, added))
    wrong = [row["what"] for row in recorded.compared("step", still, added) if run.failed(row)]
    assert wrong == ["step: parameter", "step: moment", "step: parameters that did not change"]


def test_each_tensor_of_each_replicate_counts() -> None:
    """A small one that is wrong, beside a large one; and one that is zero but for rounding."""
    theirs = {"large": torch.full((2, 50), 100.0), "small": torch.ones(2, 1)}
    ours = {"large": theirs["large"].clone(), "small": torch.tensor([[1.0], [1.1]])}
    error, name = compare.worst_by_replicate(ours, theirs)
    assert error == pytest.approx(0.1)
    assert name == "small of replicate 1"
    theirs["small"], ours["small"] = torch.full((2, 1), 1e-14), torch.full((2, 1), 1e-7)
    assert compare.worst_by_replicate(ours, theirs)[0] < 1e-8
    assert engines.certain(torch.tensor([[1.0, 1e-5]])).tolist() == [[True, False]]


@pytest.mark.parametrize("error", [1.1, float("nan"), float("inf")])
def test_an_error_that_is_not_below_its_limit_fails(error: float) -> None:
    assert run.failed({"error": error, "limit": 1.0})
    assert run.failed(json.loads(json.dumps({"error": error, "limit": 1.0})))
    assert not run.failed({"error": 1.0, "limit": 1.0})


def triton_functions() -> list[tuple[str, ast.FunctionDef]]:
    """The functions that Triton compiles; the probe's computes nothing."""
    found = []
    for file in sorted((PROJECT / "pdf_search" / "kernels" / "triton").glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            jit = isinstance(node, ast.FunctionDef) and any(
                "triton.jit" in ast.unparse(mark) for mark in node.decorator_list
            )
            if jit and file.name != "probe.py":
                found.append((str(file.relative_to(PROJECT)), node))
    return found


def planted_lines(fault: Fault) -> set[int]:
    """The first lines of the places that a fault changes."""
    text = (PROJECT / fault.file).read_text(encoding="utf-8")
    return {text[: text.index(old)].count("\n") + 1 for old, _ in fault.edits}


def test_every_triton_function_has_a_planted_fault() -> None:
    faults = [f for f in load_faults() if f.file.startswith("pdf_search/kernels/triton/")]
    places = {(fault.file, line) for fault in faults for line in planted_lines(fault)}
    without = [
        f"{file}: {node.name}"
        for file, node in triton_functions()
        if not any((file, n) in places for n in range(node.lineno, (node.end_lineno or 0) + 1))
    ]
    assert without == []


def test_every_part_has_a_module() -> None:
    folder = BENCHMARKS / "gpu_checks" / "parts"
    names = {part.module or part.name for part in PARTS}
    assert names <= {path.stem for path in folder.glob("*.py")}


def test_a_part_that_takes_too_long_on_a_cpu_is_ended_by_its_processor_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a busy machine lets it wait."""
    script = tmp_path / "part.py"
    script.write_text(
        "import resource, sys\n"
        "limit = float(sys.argv[sys.argv.index('--limit') + 1])\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (1, resource.RLIM_INFINITY))\n"
        "assert limit == 7\n"
        "while True: pass\n"
    )
    monkeypatch.setattr(sys, "argv", [str(script)])
    arguments = argparse.Namespace(device="cpu", kernels="native", out=tmp_path)
    found = list(run.run_part(PARTS[0], arguments, 7.0))
    assert found[-1]["failed"] == "it did not end within 7 s"
