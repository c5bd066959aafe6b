"""Compiled kernels have a place where the installation may not be changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pdf_search
from pdf_search.kernels import compile_cache
from pdf_search.kernels.compile_cache import BESIDE, drop_stale, keep_kernels


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_CACHE_DIR", "TRITON_CACHE_DIR", "PDF_SEARCH_CACHE"):
        monkeypatch.setenv(name, "")  # put back afterwards, whatever is set here
        monkeypatch.delenv(name)


def test_beside_the_code_and_where_the_user_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert keep_kernels() == BESIDE
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert keep_kernels() == tmp_path


@pytest.mark.parametrize("named", ["", "/proc/nowhere"])
def test_a_read_only_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str
) -> None:
    monkeypatch.setattr(compile_cache, "BESIDE", Path("/proc/code"))
    if named:
        monkeypatch.setenv("NUMBA_CACHE_DIR", named)
    assert keep_kernels(tmp_path) == tmp_path / "kernels"
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / "kernels")


def test_no_place_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "BESIDE", Path("/proc/code"))
    monkeypatch.setenv("PDF_SEARCH_CACHE", "/proc/cache")
    assert keep_kernels() is None
    assert "NUMBA_CACHE_DIR" not in os.environ


PROGRAM = """
import sys
from pathlib import Path
from pdf_search.kernels import compile_cache
compile_cache.BESIDE = Path("/proc/code")
import torch
from numba.core.registry import CPUDispatcher
from pdf_search.kernels import cpu
from pdf_search.kernels.cpu import places_by_group
from pdf_search.kernels.cpu.runtime import FOLDER
key, ptr = torch.tensor([1, 0, 1], dtype=torch.int32), torch.tensor([0, 1, 3])
print(FOLDER is not None, places_by_group(key, ptr).tolist())
every = [x for m in vars(cpu).values() if isinstance(m, type(cpu)) for x in vars(m).values()]
every = [f for x in every for f in (x, *getattr(x, "__dict__", {}).values())]
every = [f for f in every if isinstance(f, CPUDispatcher)]
print(len(every) > 20, {type(f._cache).__name__ for f in every})
"""


@pytest.mark.parametrize("cache", ["here", "/proc/cache"])
def test_a_kernel_compiles_and_is_kept_if_it_can_be(tmp_path: Path, cache: str) -> None:
    folder = tmp_path / cache
    env = {**os.environ, "PDF_SEARCH_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=False
    )
    kept_there = cache == "here"
    kind = {"FunctionCache"} if kept_there else {"NullCache"}
    assert done.stdout == f"{kept_there} [1, 0, 2]\nTrue {kind}\n", done.stderr
    assert bool(list(tmp_path.rglob("*.nbi"))) is kept_there


ACTIVATION = """
import torch
from pdf_search.kernels import linear
one = torch.ones(1, 1, 1)
print(linear(-2 * one, one, 0 * one, "relu").item())
"""


def test_a_kernel_is_compiled_anew_when_a_function_that_it_inlines_changes(tmp_path: Path) -> None:
    package = tmp_path / "pdf_search"
    shutil.copytree(
        Path(pdf_search.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    activation = package / "kernels" / "cpu" / "activation.py"
    found = []
    for least in ("0.0", "0.5", "0.5"):
        text = activation.read_text(encoding="utf-8")
        if f"max(x, _f({least}))" not in text:
            text = text.replace("max(x, _f(0.0))", f"max(x, _f({least}))")
            activation.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", ACTIVATION], env={**os.environ, "PYTHONPATH": str(tmp_path)},
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.append((done.stdout, len(list(package.rglob("batch_norm._forward*.nbi")))))
    assert found == [("0.0\n", 1), ("0.5\n", 1), ("0.5\n", 1)]


def test_kernels_of_others_in_a_shared_folder_stay(tmp_path: Path) -> None:
    ours, others = tmp_path / "cpu_12ab" / "adamw._step.nbi", tmp_path / "zoo_9" / "adamw.f.nbi"
    for index in (ours, others):
        index.parent.mkdir()
        index.touch()
        os.utime(index, (0, 0))
    drop_stale(tmp_path)
    assert not ours.exists()
    assert others.exists()
