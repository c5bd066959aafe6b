"""Banks on disk: built once, read whole or by column, checked, rebuilt."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import BasisConfig, DataConfig, Hops
from pdf_search.data import load_prepared, prepare
from pdf_search.data.banks import ARRAYS, cached_bank
from pdf_search.data.prepared.folder import Prepared
from pdf_search.errors import DataError
from pdf_search.graphs.bank import Bank
from pdf_search.graphs.bank_builder import build_bank

FULL = BasisConfig(eps=(-0.1, -0.3, -0.5), k=(1, 2, 3))
PART = BasisConfig(pairs=((-0.1, 2), (-0.5, 1)))


@pytest.fixture(scope="module")
def freesolv(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    cache = tmp_path_factory.mktemp("cache")
    return load_prepared(prepare(DataConfig(name="freesolv"), cache=cache))


def assert_equal(ours: Bank, theirs: Bank) -> None:
    for name in ("grid", "diagonals", "hops"):
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ARRAYS:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


def built(messages: list[str]) -> int:
    return sum("computing" in message for message in messages)


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("support", ["dense", Hops(hops=2)])
def test_built_once_then_read(
    freesolv: Prepared, tmp_path: Path, support: str | Hops, standardise: bool
) -> None:
    basis = FULL.model_copy(update={"support": support, "standardise": standardise})
    messages: list[str] = []
    first = cached_bank(freesolv, basis, tmp_path, messages.append)
    second = cached_bank(freesolv, basis, tmp_path, messages.append)
    assert built(messages) == 1
    assert_equal(first, build_bank(freesolv.graphs, basis))
    assert_equal(second, first)


def test_a_larger_grid_serves_by_its_columns(freesolv: Prepared, tmp_path: Path) -> None:
    messages: list[str] = []
    cached_bank(freesolv, FULL, tmp_path, messages.append)
    part = cached_bank(freesolv, PART, tmp_path, messages.append)
    assert built(messages) == 1
    assert_equal(part, build_bank(freesolv.graphs, PART))


def test_diagonals_are_part_of_a_bank_and_its_name(freesolv: Prepared, tmp_path: Path) -> None:
    messages: list[str] = []
    with_ = PART.model_copy(update={"diagonals": (1.0, -0.5)})
    fewer = PART.model_copy(update={"diagonals": (-0.5,)})
    cached_bank(freesolv, PART, tmp_path, messages.append)
    first = cached_bank(freesolv, with_, tmp_path, messages.append)
    assert built(messages) == 2  # a bank without them does not serve
    assert_equal(cached_bank(freesolv, with_, tmp_path, messages.append), first)
    assert_equal(first, build_bank(freesolv.graphs, with_))
    taken = cached_bank(freesolv, fewer, tmp_path, messages.append)
    assert_equal(taken, build_bank(freesolv.graphs, fewer))
    assert built(messages) == 2


def test_a_bank_from_before_there_were_diagonals_still_serves(
    freesolv: Prepared, tmp_path: Path
) -> None:
    first = cached_bank(freesolv, PART, tmp_path)
    (path,) = (tmp_path / "banks").rglob("meta.json")
    assert path.parent.name == "032bdf9ca2f2d6d0"  # as named by version 0.1's first banks
    meta = json.loads(path.read_text())
    del meta["diagonals"]
    path.write_text(json.dumps(meta))
    messages: list[str] = []
    assert_equal(cached_bank(freesolv, PART, tmp_path, messages.append), first)
    assert built(messages) == 0


def test_neighbouring_eps_have_banks_of_their_own(freesolv: Prepared, tmp_path: Path) -> None:
    """They are told apart on disk, and each is read back as it was built."""
    messages: list[str] = []
    grids = [BasisConfig(pairs=((eps, 2),)) for eps in (-0.3, -0.3001, -0.31, -0.34)]
    first = [cached_bank(freesolv, grid, tmp_path, messages.append) for grid in grids]
    assert built(messages) == 4
    for grid, bank in zip(grids, first, strict=True):
        assert_equal(bank, build_bank(freesolv.graphs, grid))
        assert_equal(cached_bank(freesolv, grid, tmp_path, messages.append), bank)
    assert built(messages) == 4
    assert len({bank.rows.tobytes() for bank in first}) == 4


def test_support_and_standardisation_have_banks_of_their_own(
    freesolv: Prepared, tmp_path: Path
) -> None:
    messages: list[str] = []
    for support in ("dense", Hops(hops=1)):
        for standardise in (False, True):
            change = {"support": support, "standardise": standardise}
            cached_bank(freesolv, PART.model_copy(update=change), tmp_path, messages.append)
    assert built(messages) == 4


@pytest.mark.parametrize("name", ["rows", "row", "target"])
def test_a_damaged_file_is_found_and_the_bank_built_again(
    freesolv: Prepared, tmp_path: Path, name: str
) -> None:
    first = cached_bank(freesolv, PART, tmp_path)
    (path,) = (tmp_path / "banks").rglob(f"{name}.npy")
    content = bytearray(path.read_bytes())
    content[-3] ^= 0x40
    path.write_bytes(content)
    messages: list[str] = []
    assert_equal(cached_bank(freesolv, PART, tmp_path, messages.append), first)
    assert built(messages) == 1
    path.write_bytes(content[:50])
    assert_equal(cached_bank(freesolv, PART, tmp_path, messages.append), first)
    assert built(messages) == 2


def _build(folder: Path, cache: Path, built_by: multiprocessing.Queue[int]) -> None:
    messages: list[str] = []
    cached_bank(load_prepared(folder), FULL, cache, messages.append)
    built_by.put(built(messages))


def test_two_processes_at_once_build_one_bank(freesolv: Prepared, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    queue: multiprocessing.Queue[int] = context.Queue()
    workers = [
        context.Process(target=_build, args=(freesolv.folder, tmp_path, queue)) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert sorted(queue.get(timeout=1) for _ in workers) == [0, 1]
    assert not [*(tmp_path / "banks").rglob(".*")]


def test_a_cache_that_cannot_be_written(freesolv: Prepared, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("no folder")
    with pytest.raises(DataError, match="PDF_SEARCH_CACHE"):
        cached_bank(freesolv, PART, place)


def test_a_subset_is_the_bank_of_those_graphs(freesolv: Prepared) -> None:
    numbers = np.array([7, 3, 600, 41])
    subset = build_bank(freesolv.graphs, FULL).subset(numbers)
    anew = build_bank(freesolv.graphs.subset(numbers), FULL)
    for name in ("node_count", "pair_ptr", "target", "source", "edge_type"):
        assert np.array_equal(getattr(subset, name), getattr(anew, name)), name
    for name in ("row", "far_row"):
        ours, theirs = (bank.rows[getattr(bank, name)] for bank in (subset, anew))
        assert np.array_equal(ours, theirs)
