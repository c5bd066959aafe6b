"""doctor tries what a trial does, and names what is amiss with its remedy."""

from __future__ import annotations

import io
import json
import sys
import warnings
from pathlib import Path

import pytest
import torch

from pdf_search.cli.checkup.check import Check
from pdf_search.cli.checkup.folders import folder_checks
from pdf_search.cli.checkup.packages import gpu, package
from pdf_search.cli.checkup.process import process_checks
from pdf_search.cli.checkup.worker import worker_checks
from tests.cli.conftest import Run


@pytest.mark.ray
def test_all_is_well_and_said_for_programs(run: Run, home: Path) -> None:
    found = json.loads(run("doctor", "--json").stdout)
    assert all(check["ok"] for check in found.values())
    assert found["ray"]["found"].startswith("2.")
    assert {"python", "torch", "gpu", "triton", "cache", "out", "kernels"} <= set(found)
    assert found["ray's worker"]["found"].startswith("imports ")
    assert not list(home.iterdir())


def test_folders_that_cannot_be_written(home: Path) -> None:
    (home / "file").write_text("")
    checks = list(folder_checks(home / "file" / "runs", home, Path("/proc/cache")))
    found = {check.name: check for check in checks}
    assert {name for name, check in found.items() if not check.ok} == {"out", "data root", "cache"}
    assert "give --out a folder" in found["out"].found
    assert "set PDF_SEARCH_CACHE" in found["cache"].found
    fine = list(folder_checks(home / "new" / "runs", None, home / "cache"))
    assert all(check.ok for check in fine)
    places = [check for check in fine if check.name in ("cache", "out")]
    assert all(check.found.endswith("MB free on its disk") for check in places)
    assert [path.name for path in home.iterdir()] == ["file"]


def test_a_data_root_names_the_sets_that_it_holds(home: Path) -> None:
    def found() -> Check:
        checks = folder_checks(home, home / "root", home)
        return next(check for check in checks if check.name == "data root")

    flat = home / "root" / "downloads" / "MUTAG"
    flat.mkdir(parents=True)
    assert not found().ok
    for part in ("A", "graph_indicator", "graph_labels"):
        (flat / f"MUTAG_{part}.txt").write_text("1\n")
    assert found() == Check("data root", f"{home / 'root'}: MUTAG")


def test_a_long_temporary_folder_is_told(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    long = home / ("long" * 30)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    found = {check.name: check for check in folder_checks(home, None, home)}
    assert "TMPDIR" in found["ray's folder"].found
    assert "too long" in found["ray's folder"].found


def test_variables_and_terminals_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    monkeypatch.setenv("http_proxy", "http://10.0.0.2:3128")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    found = {check.name: check.found for check in process_checks()}
    assert "not used, unless" in found["RAY_ADDRESS"]
    assert found["proxies"].startswith("http_proxy")
    assert "set PYTHONIOENCODING" in found["terminal"]


def test_packages_that_are_missing_or_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_one.py").write_text("raise OSError('libgomp.so.1: cannot open')\n")
    (tmp_path / "needs_more.py").write_text("import not_there_at_all\n")
    assert "not installed" in package("not-there", "not_there").found
    assert "OSError: libgomp.so.1" in package("broken-one", "broken_one").found
    assert "not_there_at_all" in package("needs-more", "needs_more").found
    assert package("numpy", "numpy").ok


def test_a_kernel_is_compiled() -> None:
    check = next(iter(worker_checks(None)))
    assert check.ok
    assert check.found.startswith("kept in ")


OLD = "The NVIDIA driver on your system is too old (found version 11040)."


@pytest.mark.parametrize(
    ("visible", "warned", "error", "why"),
    [
        (None, f"CUDA initialization: {OLD} (Triggered internally at x.cpp:108.)", "late", OLD),
        (
            None,
            "",
            "Found no NVIDIA driver on your\nsystem.",
            ": Found no NVIDIA driver on your sys",
        ),
        ("", "", "No CUDA GPUs are available", ": CUDA_VISIBLE_DEVICES= hides every GPU: unset it"),
        ("-1", "", "No CUDA GPUs are available", ": CUDA_VISIBLE_DEVICES=-1 hides every GPU"),
        ("7", "", "No CUDA GPUs are available", "available; CUDA_VISIBLE_DEVICES=7"),
    ],
)
def test_why_torch_sees_no_gpu(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, warned: str, error: str, why: str
) -> None:
    def is_available() -> bool:
        if warned:
            warnings.warn(warned, UserWarning, stacklevel=2)
        return False

    def init() -> None:
        raise RuntimeError(error)

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr(torch.cuda, "is_available", is_available)
    monkeypatch.setattr(torch.cuda, "init", init)
    found = gpu()
    assert found.startswith("none (torch is built for CUDA 12.8): ")
    assert why in found
    assert "late" not in found
    assert "Triggered" not in found
    monkeypatch.setattr(torch.version, "cuda", None)
    assert gpu() == "none (torch is built for the CPU)"
