"""Downloads by PyG's and OGB's own code, from a server on this machine."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch_geometric.datasets import ZINC, TUDataset

from pdf_search.config import DataConfig
from pdf_search.data import load_prepared, prepare, statistics
from pdf_search.data.raw.ogb_package import graph_property_sets
from pdf_search.errors import DataError
from tests.data.test_ogb import pcba_targets, write_ogb
from tests.data.test_zinc import write_zinc


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder; says of ``huge.zip`` that it has 3 GB."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        server = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args: object) -> None:
                super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]

            def do_GET(self) -> None:
                server.asked.append(self.path)
                if not self.path.endswith("huge.zip"):
                    return super().do_GET()
                self.send_response(200)
                self.send_header("Content-Length", str(3 << 30))
                self.end_headers()
                return None

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "served").mkdir()
    with Server(tmp_path / "served") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("standard input was asked")

    monkeypatch.setattr("builtins.input", refuse)


def test_tu_sets_come_through_pyg(
    server: Server, tmp_path: Path, data_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(data_root / "TUDataset" / "MUTAG" / "raw", tmp_path / "zip" / "MUTAG")
    shutil.make_archive(str(tmp_path / "served" / "MUTAG"), "zip", tmp_path / "zip")
    monkeypatch.setattr(TUDataset, "url", server.url)
    cache, config = tmp_path / "cache", DataConfig(name="mutag")
    said: list[str] = []
    folder = prepare(config, cache=cache, progress=said.append)
    assert f"downloading MUTAG from {server.url}" in said
    labels = data_root / "TUDataset/MUTAG/raw/MUTAG_graph_labels.txt"
    assert statistics(load_prepared(folder))["graphs"] == len(labels.read_text().split())
    asked = len(server.asked)
    assert prepare(config, cache=cache) == folder
    assert len(server.asked) == asked
    assert [path.name for path in (cache / "raw").iterdir()] == ["TUDataset"]


def test_zinc_comes_through_pyg(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = write_zinc(tmp_path / "made")
    served = tmp_path / "served"
    for index in raw.glob("*.index"):
        shutil.move(index, served / index.name)
    shutil.move(raw, tmp_path / "zip" / "molecules")
    shutil.make_archive(str(served / "molecules"), "zip", tmp_path / "zip")
    monkeypatch.setattr(ZINC, "url", f"{server.url}/molecules.zip?dl=1")
    monkeypatch.setattr(ZINC, "split_url", f"{server.url}/{{}}.index")
    folder = prepare(DataConfig(name="zinc"), cache=tmp_path / "cache")
    assert load_prepared(folder).graphs.targets[:, 0].tolist() == [2, 0, 12, 10, 22, 20]


def test_ogb_sets_come_through_ogb(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = write_ogb(tmp_path, "ogbg-molpcba", "scaffold", pcba_targets(), categorical=True)
    shutil.move(made, tmp_path / "zip" / "pcba")
    shutil.make_archive(str(tmp_path / "served" / "pcba"), "zip", tmp_path / "zip")
    row = graph_property_sets()["ogbg-molpcba"]
    monkeypatch.setitem(row, "url", f"{server.url}/pcba.zip")
    folder = prepare(DataConfig(name="ogbg-molpcba"), cache=tmp_path / "cache")
    assert load_prepared(folder).graphs.targets.shape == (12, 128)
    kept = tmp_path / "cache" / "raw" / "ogb" / "ogbg_molpcba"
    assert sorted(path.name for path in kept.iterdir()) == ["raw", "split"]


def test_a_large_download_stops_with_the_command(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    with pytest.raises(DataError, match=r"more than 1 GB.*pdf-search data ogbg-ppa --yes"):
        prepare(DataConfig(name="ogbg-ppa"), tmp_path, tmp_path / "cache", progress=said.append)
    assert said == [f"ogbg-ppa is not in {tmp_path} (looked 4 levels deep)"]
    row = graph_property_sets()["ogbg-molmuv"]
    monkeypatch.setitem(row, "url", f"{server.url}/huge.zip")
    with pytest.raises(DataError, match=r"3\.0 GB.*pdf-search data ogbg-molmuv --yes"):
        prepare(DataConfig(name="ogbg-molmuv"), cache=tmp_path / "cache")
    with pytest.raises(DataError, match=r"the download from .*huge\.zip failed"):
        prepare(DataConfig(name="ogbg-molmuv"), cache=tmp_path / "cache", assume_yes=True)
    assert not list((tmp_path / "cache" / "raw").iterdir())


@pytest.mark.parametrize("name", ["mutag", "zinc", "ogbg-molbbbp"])
def test_without_a_network_the_error_says_what_to_copy_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    closed = "http://127.0.0.1:9"
    monkeypatch.setattr(TUDataset, "url", closed)
    monkeypatch.setattr(ZINC, "url", f"{closed}/molecules.zip")
    monkeypatch.setitem(graph_property_sets()["ogbg-molbbbp"], "url", f"{closed}/bbbp.zip")
    root = tmp_path / "root"
    root.mkdir()
    with pytest.raises(DataError) as caught:
        prepare(DataConfig(name=name), root, tmp_path / "cache")
    message = str(caught.value)
    assert message.startswith(f"the download from {closed}")
    assert f"--data-root {root}" in message
    assert {"mutag": "MUTAG_A.txt", "zinc": "train.pickle"}.get(name, "raw/edge.csv.gz") in message
    assert not list((tmp_path / "cache" / "raw").iterdir())


def test_an_archive_that_is_not_there(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TUDataset, "url", server.url)
    with pytest.raises(DataError, match=f"the download from {server.url} failed"):
        prepare(DataConfig(name="nci1"), cache=tmp_path / "cache")
