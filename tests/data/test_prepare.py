"""Preparation: once, under a lock, whole or not at all, without touching the data root."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import (
    cache_entries,
    cache_folder,
    cache_size,
    load_prepared,
    prepare,
    statistics,
)
from pdf_search.data.prepared.build import build
from pdf_search.data.raw.sources import find_raw
from pdf_search.data.registry import lookup
from pdf_search.errors import DataError
from tests.data.conftest import write_gz
from tests.data.test_ogb import pcba_targets, write_ogb

# Prepares freesolv; says what it does on a line each; waits for the file `go` before writing ends.
WORKER = """
import sys, time
from pathlib import Path
from pdf_search.config import DataConfig
from pdf_search.data import prepare
cache, go = map(Path, sys.argv[1:])
def say(text):
    print(text, flush=True)
    while 'checking' in text and not go.exists():
        time.sleep(0.02)
print(prepare(DataConfig(name='freesolv'), cache=cache, progress=say), flush=True)
"""


def start(cache: Path, go: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", WORKER, str(cache), str(go)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_notes_rows_and_molecules_travel_with_the_data(tmp_path: Path) -> None:
    config = DataConfig(name="csv", path=str(tmp_path / "m.csv"), targets=("y",))
    (tmp_path / "m.csv").write_text("smiles,y\nC,0.5\nCC,1.5\nCCC,3\n")
    info, silent = lookup(config), lambda _: None
    raw = find_raw(config, info, None, tmp_path)
    assert raw is not None
    rows, molecules = np.array([0, 2, 5]), np.array([1, 1, 0])
    told = replace(raw.read(silent), notes=("row 3 is empty",), rows=rows, molecules=molecules)
    (tmp_path / "made").mkdir()
    build(tmp_path / "made", info, told, {}, silent)
    data = load_prepared(tmp_path / "made")
    assert data.notes == ("row 3 is empty",)
    assert np.array_equal(data.rows, [0, 2, 5])
    assert np.array_equal(data.molecules, [1, 1, 0])
    assert statistics(data)["notes"] == ("row 3 is empty",)


def test_two_processes_at_once_prepare_once(tmp_path: Path) -> None:
    cache, go = tmp_path / "cache", tmp_path / "go"
    with start(cache, go) as first:
        assert "preparing FreeSolv" in line(first)
        assert "checking" in line(first)
        with start(cache, go) as second:
            assert "waiting for another process" in line(second)
            assert not cache_entries(cache)
            go.touch()
            folders = line(first), line(second)
    assert first.returncode == second.returncode == 0
    assert folders[0] == folders[1] != ""
    assert len(load_prepared(Path(folders[0].strip())).graphs) == 642
    assert [entry.name for entry in cache_entries(cache)] == ["freesolv"]


def test_a_kill_in_the_middle_leaves_nothing_half_usable(tmp_path: Path) -> None:
    with start(tmp_path / "cache", tmp_path / "never") as process:
        assert "preparing" in line(process)
        assert "checking" in line(process)
        process.send_signal(signal.SIGKILL)
    assert len(list((tmp_path / "cache" / "prepared").iterdir())) == 1
    assert not cache_entries(tmp_path / "cache")
    folder = prepare(DataConfig(name="freesolv"), cache=tmp_path / "cache")
    assert len(load_prepared(folder).graphs) == 642
    assert list(folder.parent.iterdir()) == [folder]


def test_the_second_call_does_nothing(tmp_path: Path) -> None:
    config, cache = DataConfig(name="freesolv"), tmp_path / "cache"
    folder = prepare(config, cache=cache)
    said: list[str] = []
    same = DataConfig(name="FreeSolv", train_fraction=0.5, split_seed=3)
    assert prepare(same, cache=cache, progress=said.append) == folder
    assert said == []
    assert prepare(DataConfig(name="freesolv", metric="mae"), cache=cache) != folder


def test_the_arrays_are_mapped_and_complete(tmp_path: Path) -> None:
    data = load_prepared(prepare(DataConfig(name="freesolv"), cache=tmp_path))
    for name in ("nodes", "edges", "edge_type", "targets", "node_ptr"):
        array = getattr(data.graphs, name)
        assert isinstance(array, np.memmap), name
        assert not array.flags.writeable
    graphs = data.graphs
    assert (graphs.nodes.dtype, graphs.edges.dtype, graphs.edge_type.dtype) == (
        np.dtype(np.int64),
        np.dtype(np.int32),
        np.dtype(np.int32),
    )
    assert (graphs.targets.dtype, graphs.node_ptr.dtype) == (
        np.dtype(np.float32),
        np.dtype(np.int64),
    )
    meta = json.loads((data.folder / "meta.json").read_text())
    assert meta["fingerprint"] == data.fingerprint


def test_the_fingerprint_is_of_the_content_not_of_the_place(tmp_path: Path) -> None:
    for place in ("a", "b"):
        write_ogb(tmp_path / place, "ogbg-molpcba", "scaffold", pcba_targets(), categorical=True)
    config = DataConfig(name="ogbg-molpcba")
    a, b = (
        load_prepared(prepare(config, tmp_path / place, tmp_path / f"cache-{place}"))
        for place in ("a", "b")
    )
    assert a.fingerprint == b.fingerprint
    split = tmp_path / "b" / "ogb" / "ogbg_molpcba" / "split" / "scaffold"
    write_gz(split / "train.csv.gz", [0, 1, 2])
    c = load_prepared(prepare(config, tmp_path / "b", tmp_path / "cache-b"))
    assert c.folder != b.folder
    assert c.fingerprint != b.fingerprint


@pytest.mark.parametrize("damage", ["short", "gone", "other", "bytes", "meta"])
def test_damage_is_an_error_on_load_and_repaired_by_prepare(tmp_path: Path, damage: str) -> None:
    config = DataConfig(name="freesolv")
    folder = prepare(config, cache=tmp_path)
    before = load_prepared(folder).fingerprint
    edges = folder / "edges.npy"
    if damage == "short":
        os.truncate(edges, edges.stat().st_size - 100)
    elif damage == "gone":
        edges.unlink()
    elif damage == "other":
        np.save(edges, np.zeros((2, 3), np.int32))
    elif damage == "bytes":  # still of the right type and shape
        targets = folder / "targets.npy"
        content = bytearray(targets.read_bytes())
        content[-402:-400] = bytes(255 - byte for byte in content[-402:-400])
        targets.write_bytes(content)
    else:
        (folder / "meta.json").write_text("{")
    with pytest.raises(DataError, match=r"damaged .*pdf-search data NAME"):
        load_prepared(folder)
    assert prepare(config, cache=tmp_path) == folder
    assert load_prepared(folder).fingerprint == before
    assert list(folder.parent.iterdir()) == [folder]


def test_folders_that_hold_no_prepared_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no prepared data set"):
        load_prepared(tmp_path)
    folder = prepare(DataConfig(name="freesolv"), cache=tmp_path)
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "format": 0}))
    with pytest.raises(DataError, match="prepared by another version"):
        load_prepared(folder)


def tree(root: Path) -> list[tuple[str, int, int]]:
    paths = sorted(root.rglob("*"))
    return [(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in paths]


def test_a_data_root_is_only_read_and_needs_no_network(
    data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    root = tmp_path / "root"
    for part in ("TUDataset/MUTAG", "ogb/ogbg_molesol"):
        shutil.copytree(data_root / part, root / part)
    for path in [*root.rglob("*"), root]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = tree(root)
    for name in ("mutag", "ogbg-molesol"):
        assert statistics(load_prepared(prepare(DataConfig(name=name), root, tmp_path / "c")))
    assert tree(root) == before
    for path in [*root.rglob("*"), root]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_data_root_that_is_the_collection_itself(data_root: Path, tmp_path: Path) -> None:
    collection = data_root / "TUDataset"
    assert load_prepared(prepare(DataConfig(name="mutag"), collection, tmp_path)).graphs


@pytest.mark.parametrize("name", ["mutag", "freesolv"])  # freesolv needs no data root
def test_a_data_root_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"data root .*nowhere is not a folder"):
        prepare(DataConfig(name=name), tmp_path / "nowhere", tmp_path / "cache")


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="set PDF_SEARCH_CACHE"):
        prepare(DataConfig(name="freesolv"), cache=tmp_path / "file")


def test_where_the_cache_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("PDF_SEARCH_CACHE", raising=False)
    assert cache_folder() == Path("~/.cache/pdf_search").expanduser()
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder(tmp_path / "mine") == tmp_path / "mine"


def test_the_cache_knows_its_size_and_entries(tmp_path: Path) -> None:
    assert cache_size(tmp_path) == 0
    assert cache_entries(tmp_path) == []
    folder = prepare(DataConfig(name="freesolv"), cache=tmp_path)
    (entry,) = cache_entries(tmp_path)
    assert (entry.name, entry.title, entry.folder, entry.graphs) == (
        "freesolv",
        "FreeSolv",
        folder,
        642,
    )
    assert entry.size == sum(path.stat().st_size for path in folder.iterdir())
    assert cache_size(tmp_path) >= entry.size > 100_000
