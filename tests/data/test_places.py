"""Raw files in other layouts than the libraries': read where they are, or named with the place."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.errors import DataError
from tests.data.test_ogb import write_ogb
from tests.data.test_zinc import write_zinc

MUTAG = {
    "A": "1,2\n2,1\n4,5\n5,4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "0\n1\n2\n3\n4\n5\n6\n",
}
OGB = "ogbg-molesol"


def lay_mutag(folder: Path, **changes: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in (MUTAG | changes).items():
        (folder / f"MUTAG_{part}.txt").write_text(text)
    return folder


def lay_ogb(folder: Path) -> Path:
    made = write_ogb(folder.parent / "made", OGB, "scaffold", np.arange(12), categorical=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(made, folder))


def lay_zinc(folder: Path) -> Path:
    made = write_zinc(folder.parent / "made")
    folder.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(made, folder))


LAY: dict[str, Callable[[Path], Path]] = {"mutag": lay_mutag, OGB: lay_ogb, "zinc": lay_zinc}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a download was started")

    for kind in ("tu", "zinc", "ogb"):
        monkeypatch.setattr(f"pdf_search.data.raw.download.download_{kind}", refuse)


def read(name: str, root: Path, said: list[str] | None = None) -> Prepared:
    cache = root.parent / "cache"
    say = (said if said is not None else []).append
    return load_prepared(prepare(DataConfig(name=name), root, cache, progress=say))


@pytest.mark.parametrize(
    ("name", "files", "root"),
    [
        ("mutag", "root/TUDataset/MUTAG/raw", "root"),
        ("mutag", "root/MUTAG/raw", "root"),
        ("mutag", "root/MUTAG", "root"),
        ("mutag", "root/MUTAG/MUTAG", "root"),
        ("mutag", "root/TUDataset/MUTAG", "root"),
        ("mutag", "root/TUDataset/MUTAG/MUTAG/raw", "root"),
        ("mutag", "root/mutag", "root"),
        ("mutag", "root/downloads/graphs", "root"),
        ("mutag", "root", "root"),
        ("mutag", "root/MUTAG/raw", "root/MUTAG"),
        ("mutag", "root/MUTAG/raw", "root/MUTAG/raw"),
        (OGB, "root/ogb/ogbg_molesol", "root"),
        (OGB, "root/ogbg-molesol", "root"),
        (OGB, "root/ogb/esol", "root"),
        (OGB, "root/ogbg_molesol/ogbg_molesol", "root"),
        (OGB, "root/dataset/ogbg_molesol_pyg", "root"),
        (OGB, "root/ogbg_molesol", "root/ogbg_molesol"),
        (OGB, "root/ogbg_molesol", "root/ogbg_molesol/raw"),
        (OGB, "root/my-own-name", "root/my-own-name"),
        ("zinc", "root/ZINC/raw", "root"),
        ("zinc", "root/ZINC", "root"),
        ("zinc", "root/zinc/molecules", "root"),
        ("zinc", "root/molecules", "root"),
        ("zinc", "root/anything", "root/anything"),
        ("zinc", "root/anything/raw", "root/anything"),
    ],
)
def test_files_are_read_where_they_are(tmp_path: Path, name: str, files: str, root: str) -> None:
    folder = LAY[name](tmp_path / files)
    said: list[str] = []
    data = read(name, tmp_path / root, said)
    assert len(data.graphs) == {"mutag": 2, OGB: 12, "zinc": 6}[name]
    usual = files in ("root/TUDataset/MUTAG/raw", "root/ogb/ogbg_molesol", "root/ZINC/raw")
    usual = usual or (files, root) == ("root/MUTAG/raw", "root")
    assert any(line.endswith(f": reading {folder}") for line in said) is not usual


def test_the_usual_place_goes_before_any_other(tmp_path: Path) -> None:
    lay_mutag(tmp_path / "root/old", graph_labels="1\n-1\n")
    lay_mutag(tmp_path / "root/MUTAG/raw")
    assert read("mutag", tmp_path / "root").graphs.targets[:, 0].tolist() == [0, 1]


def test_copies_are_one_and_different_files_are_asked_about(tmp_path: Path) -> None:
    root = tmp_path / "root"
    lay_mutag(root / "MUTAG")
    lay_mutag(root / "MUTAG/MUTAG")
    assert len(read("mutag", root).graphs) == 2
    lay_mutag(root / "MUTAG/MUTAG", graph_labels="1\n-1\n")
    with pytest.raises(DataError, match=r"in 2 folders .*, with other content: .*--data-root .*"):
        read("mutag", root)


def test_the_folder_that_is_pointed_at_goes_before_those_below_it(tmp_path: Path) -> None:
    lay_mutag(tmp_path / "MUTAG/raw_cleaned", graph_labels="1\n-1\n")
    lay_mutag(tmp_path / "MUTAG/raw")
    assert read("mutag", tmp_path / "MUTAG").graphs.targets[:, 0].tolist() == [0, 1]


def test_files_of_other_sets_are_not_taken(tmp_path: Path) -> None:
    lay_ogb(tmp_path / "root/ogb/ogbg_molfreesolv")
    lay_ogb(tmp_path / "root/ogbg_molesol/bbbp")
    with pytest.raises(AssertionError, match="a download was started"):
        read(OGB, tmp_path / "root")
    with pytest.raises(AssertionError, match="a download was started"):
        read(OGB, tmp_path / "root/ogb/ogbg_molfreesolv")


def test_files_without_a_name_are_read_only_where_they_are_pointed_at(tmp_path: Path) -> None:
    folder = lay_ogb(tmp_path / "root/thing")
    with pytest.raises(DataError, match=f"give --data-root {folder}"):
        read(OGB, tmp_path / "root")


def refusal(name: str, root: Path) -> str:
    with pytest.raises(DataError) as caught:
        read(name, root)
    return str(caught.value)


def test_missing_files_are_named(tmp_path: Path) -> None:
    folder = lay_mutag(tmp_path / "root/MUTAG")
    (folder / "MUTAG_graph_labels.txt").unlink()
    message = refusal("mutag", tmp_path / "root")
    assert message.startswith(f"{folder} is incomplete: MUTAG_graph_labels.txt missing. ")
    assert f"{tmp_path}/root/TUDataset/MUTAG/raw" in message
    ogb = lay_ogb(tmp_path / "root/ogb/ogbg_molesol")
    shutil.rmtree(ogb / "split")
    parts = "; ".join(f"split/scaffold/{p}.csv.gz missing" for p in ("train", "valid", "test"))
    assert f"{ogb} is incomplete: {parts}. " in refusal(OGB, tmp_path / "root")
    shutil.copytree(ogb / "raw", ogb / "split/random")
    (ogb / "split/random/edge.csv.gz").rename(ogb / "split/random/train.csv.gz")
    assert f"{ogb} is incomplete: {parts}. " in refusal(OGB, tmp_path / "root")
    zinc = lay_zinc(tmp_path / "root/molecules")
    (zinc / "train.index").unlink()
    assert f"{zinc} is incomplete: train.index missing. " in refusal("zinc", tmp_path / "root")


def test_files_in_another_form_are_named_with_what_is_to_be_done(tmp_path: Path) -> None:
    root, folder = tmp_path / "root", lay_mutag(tmp_path / "root/MUTAG")
    packed = folder / "MUTAG_A.txt.gz"
    packed.write_bytes(gzip.compress((folder / "MUTAG_A.txt").read_bytes()))
    (folder / "MUTAG_A.txt").unlink()
    (folder / "MUTAG_graph_labels.txt").rename(folder / "mutag_graph_labels.txt")
    message = refusal("mutag", root)
    assert f"MUTAG_A.txt found as {packed}, which is packed: unpack it" in message
    assert f"found as {folder}/mutag_graph_labels.txt: rename it" in message
    shutil.move(lay_mutag(folder) / "MUTAG_A.txt", root)
    assert f"{folder} is incomplete: MUTAG_A.txt found as {root}/MUTAG_A.txt" in refusal(
        "mutag", root
    )
    ogb = lay_ogb(root / "ogbg_molesol")
    (ogb / "raw/edge.csv").write_bytes(gzip.decompress((ogb / "raw/edge.csv.gz").read_bytes()))
    (ogb / "raw/edge.csv.gz").unlink()
    message = refusal(OGB, root)
    assert f"found as {ogb}/raw/edge.csv, which is unpacked: pack it with gzip" in message


def test_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    path = lay_mutag(tmp_path / "root/MUTAG") / "MUTAG_A.txt"
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    assert f"MUTAG_A.txt is a link to nothing: {path}" in refusal("mutag", tmp_path / "root")


def test_ogb_files_without_their_folders_are_named(tmp_path: Path) -> None:
    ogb = lay_ogb(tmp_path / "root/ogbg_molesol")
    for path in (ogb / "raw").iterdir():
        path.rename(ogb / path.name)
    message = refusal(OGB, tmp_path / "root")
    assert f"raw/edge.csv.gz found as {ogb}/edge.csv.gz" in message


@pytest.mark.parametrize(
    ("name", "archive"),
    [
        ("mutag", "MUTAG.zip"),
        ("mutag", "down/mutag.tar.gz"),
        (OGB, "esol.zip"),
        (OGB, "ogbg_molesol.zip"),
        ("zinc", "molecules.zip"),
    ],
)
def test_an_archive_is_not_passed_over(tmp_path: Path, name: str, archive: str) -> None:
    path = tmp_path / "root" / archive
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PK")
    assert refusal(name, tmp_path / "root").startswith(f"{path} is still packed: unpack it there")
    assert refusal(name, path).endswith("is not a folder: unpack it, and give the folder")


def test_a_folder_of_the_name_with_other_files_is_not_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "root/TUDataset/MUTAG/processed"
    folder.mkdir(parents=True)
    (folder / "data.pt").write_bytes(b"")
    message = refusal("mutag", tmp_path / "root")
    assert message.startswith(f"{folder} bears the name of MUTAG, but holds none of MUTAG_A.txt")
    assert "it holds data.pt" in message
    (tmp_path / "other/runs/mutag").mkdir(parents=True)
    (tmp_path / "other/runs/mutag/sweep.log").write_text("")
    with pytest.raises(AssertionError, match="a download was started"):
        read("mutag", tmp_path / "other")


def test_what_is_not_below_the_data_root_is_said_before_it_is_replaced(tmp_path: Path) -> None:
    root, said = tmp_path / "root", list[str]()
    root.mkdir()
    with pytest.raises(AssertionError, match="a download was started"):
        read("mutag", root, said)
    assert said[0] == f"MUTAG is not in {root} (looked 4 levels deep)"
    earlier = lay_mutag(tmp_path / "cache/raw/TUDataset/MUTAG/raw")
    said.clear()
    assert len(read("mutag", root, said).graphs) == 2
    assert f": reading the earlier download {earlier}" in said[0]
    (earlier / "MUTAG_A.txt").unlink()
    with pytest.raises(DataError, match="an earlier download, is incomplete: remove it"):
        read("mutag", root)


def test_the_search_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_mutag(tmp_path / "root/a/b/c/d/e")
    with pytest.raises(AssertionError, match="a download was started"):
        read("mutag", tmp_path / "root")
    (tmp_path / "root/loop").symlink_to(tmp_path / "root")
    lay_mutag(tmp_path / "root/z")
    assert len(read("mutag", tmp_path / "root").graphs) == 2
    monkeypatch.setattr("pdf_search.data.raw.find_files.MOST_FOLDERS", 1)
    with pytest.raises(AssertionError, match="a download was started"):
        read("mutag", tmp_path / "root")
