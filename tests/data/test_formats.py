"""A person's table in other formats than CSV: one data set, whatever file it comes in."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rdkit import Chem

from pdf_search.config import DataConfig
from pdf_search.data import Prepared, load_prepared, lookup, prepare
from pdf_search.data.tables.read_table import read_table
from pdf_search.errors import DataError

SMILES = ["C", "CC", "CCO", "c1ccccc1", "N", "CC(=O)O", "F/C=C/F", "C[C@H](N)O", "O", "CN", "S"]
FRAME = pd.DataFrame(
    {"smiles": SMILES, "y": [i / 8 for i in range(11)], "name": list("abcdefghijk")}
)


def load(folder: Path, name: str, **keys: object) -> Prepared:
    tree = {"name": "csv", "path": str(folder / name), "targets": ["y"], "featuriser": 2, **keys}
    config = DataConfig.model_validate(tree)
    return load_prepared(prepare(config, cache=folder / "cache"))


def zipped(data: bytes) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("folder/mine.csv", data)
        archive.writestr("__MACOSX/mine.csv", b"no table")
    return memory.getvalue()


def zstd(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, "zstd", asbytes=True)
    return packed


@pytest.mark.parametrize(
    ("end", "pack", "kind"),
    [
        ("gz", gzip.compress, "gzip"),
        ("bz2", bz2.compress, "bzip2"),
        ("xz", lzma.compress, "xz"),
        ("zst", zstd, "zstd"),
        ("zip", zipped, "zip"),
        ("csv", gzip.compress, "gzip"),  # recognised by its content
    ],
)
def test_a_compressed_file_is_the_same_data_set(
    tmp_path: Path, end: str, pack: Callable[[bytes], bytes], kind: str
) -> None:
    text = FRAME.to_csv(index=False)
    (tmp_path / "plain.csv").write_text(text)
    (tmp_path / f"mine.tsv.{end}").write_bytes(pack(text.replace(",", "\t").encode()))
    found = load(tmp_path, f"mine.tsv.{end}")
    assert found.fingerprint == load(tmp_path, "plain.csv").fingerprint
    assert f"the file is compressed ({kind})" in found.notes


def test_a_packed_file_has_the_title_of_the_file_inside(tmp_path: Path) -> None:
    (tmp_path / "mine.csv.gz").write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))
    config = DataConfig(name="csv", path=str(tmp_path / "mine.csv.gz"), targets=("y",))
    assert lookup(config).title == "mine"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            gzip.compress(b"smiles,y\nC,1\n", mtime=0)[:-9],
            r"compressed \(gzip\) and cannot be unpacked",
        ),
        (b"PK\x03\x04" + bytes(60), r"compressed \(zip\) and cannot be unpacked"),
        (b"PAR1" + bytes(60) + b"PAR1", "a damaged Parquet file"),
    ],
    ids=["gzip", "zip", "parquet"],  # the same in every process of pytest-xdist
)
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "mine.csv").write_bytes(data)
    with pytest.raises(DataError, match=said):
        read_table(tmp_path / "mine.csv")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.csv", "b.csv"], "is a zip archive of 2 files, a.csv, b.csv: unpack it, and give one"),
        (["folder/µ.csv", "\x1b[2J"], r"of 2 files, folder/µ\.csv, '\\x1b\[2J': unpack it"),
        ([f"{i}.csv" for i in range(9)], "of 9 files, 0.csv, 1.csv, 2.csv, 3.csv, 4.csv and 4 m"),
        (["folder/"], "is a zip archive without a file in it: get it again"),
        ([], "is a zip archive without a file in it: get it again"),
        (["mimetype", "content.xml"], "is a workbook, of Excel or OpenDocument: open it in"),
        (["[Content_Types].xml", "xl/workbook.xml"], "is a workbook, of Excel or OpenDocument"),
    ],
    ids=["two", "odd names", "many", "folder", "none", "ods", "xlsx"],
)
def test_an_archive_that_is_no_single_table_says_what_it_holds(
    tmp_path: Path, names: list[str], said: str
) -> None:
    with zipfile.ZipFile(tmp_path / "mine.csv.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "smiles,y\nC,1\n" * (not name.endswith("/")))
    with pytest.raises(DataError, match=said):
        read_table(tmp_path / "mine.csv.zip")


@pytest.mark.parametrize(
    ("name", "kind"), [("mine.csv.zip", "a zip archive"), ("mine.csv.gz", "compressed")]
)
def test_what_is_named_as_compressed_and_is_not_is_read_or_told(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / name
    path.write_text("smiles,y\nC,1\n")
    assert len(read_table(path).rows) == 1
    path.write_text("hello")
    with pytest.raises(DataError, match=f"no rows; {name} is not {kind}, though its name ends so$"):
        read_table(path)


def test_a_tar_archive_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("smiles,y\nC,1\n")
    with tarfile.open(tmp_path / "mine.csv.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.csv", "a.csv")
    with pytest.raises(DataError, match="it is a tar archive: unpack it, and give one of its"):
        read_table(tmp_path / "mine.csv.gz")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"smiles,y\nC,1\n", "of another kind; a table of text is named .csv"),
        (b"no table at all", "of another kind"),
        (b"", "empty: get it again"),
        (b"PAR1" + bytes(60), "cut off or damaged: get it again"),
    ],
    ids=["csv", "text", "empty", "cut"],
)
def test_a_file_that_only_its_name_makes_parquet_says_so(
    tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "mine.parquet").write_bytes(data)
    with pytest.raises(DataError, match=f"mine.parquet is not a Parquet file.*: it is {said}"):
        read_table(tmp_path / "mine.parquet")


def test_parquet_gives_the_same_cells_and_counts_rows(tmp_path: Path) -> None:
    frame = FRAME.assign(
        y=FRAME.y.astype("float32"),
        kind=pd.Categorical(FRAME.name),
        seen=[i % 2 == 0 for i in range(11)],
        values=[[i] for i in range(11)],
    )
    frame.loc[3, "y"] = np.nan
    frame.set_index(frame.name.rename(None)).to_parquet(tmp_path / "mine.parquet")
    found = read_table(tmp_path / "mine.parquet")
    assert found.columns == ("smiles", "y", "name", "kind", "seen", "values")
    assert found.rows[1] == ["CC", "0.125", "b", "b", "0", "[1]"]
    assert (found.column("y", "y")[3], found.lines[:2]) == ("", [1, 2])
    assert found.notes == ("true and false are read as 1 and 0: seen",)
    data = load(tmp_path, "mine.parquet")
    frame.drop(columns="values").to_csv(tmp_path / "mine.csv", index=False)
    assert data.fingerprint == load(tmp_path, "mine.csv").fingerprint
    assert load(tmp_path, "mine.parquet", targets=["seen"]).info.task.value == "multilabel"


def test_an_error_about_parquet_says_that_its_lines_are_rows(tmp_path: Path) -> None:
    FRAME.assign(y=["a", *range(10)]).astype({"y": str}).to_parquet(tmp_path / "mine.parquet")
    with pytest.raises(DataError, match=r"line 1: 'a'\n  \(lines are the rows of the Parquet file"):
        load(tmp_path, "mine.parquet")


def sdf(frame: pd.DataFrame, titles: bool = True) -> str:
    blocks = []
    for row in frame.itertuples():
        molecule = Chem.MolFromSmiles(row.smiles)
        molecule.SetProp("_Name", row.name if titles else "")
        block = Chem.MolToMolBlock(Chem.AddHs(molecule))
        blocks.append(f"{block}> <y>\n{row.y}\n\n> <the note>\nof {row.name}\n\n$$$$\n")
    return "".join(blocks)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_sdf_gives_molecules_and_properties(tmp_path: Path, end: str) -> None:
    (tmp_path / "mine.sdf").write_bytes(sdf(FRAME).replace("\n", end).encode())
    found = read_table(tmp_path / "mine.sdf")
    assert (found.columns, found.molecules) == (("smiles", "title", "y", "the note"), "smiles")
    assert [row[1:] for row in found.rows[:2]] == [["a", "0.0", "of a"], ["b", "0.125", "of b"]]
    FRAME.to_csv(tmp_path / "mine.csv", index=False)
    data = load(tmp_path, "mine.sdf")
    assert data.fingerprint == load(tmp_path, "mine.csv").fingerprint


def test_sdf_is_recognised_by_its_content_and_gives_way_to_a_property(tmp_path: Path) -> None:
    text = sdf(FRAME, titles=False).replace("<the note>", "<smiles>")
    (tmp_path / "mine.txt").write_text(text)
    found = read_table(tmp_path / "mine.txt")
    assert (found.columns, found.molecules) == (("structure", "y", "smiles"), "structure")


def test_a_molecule_that_rdkit_cannot_read_is_named_with_its_line(tmp_path: Path) -> None:
    text = sdf(FRAME)
    first = text.index("$$$$\n") + 5
    bad = text[first:].replace("  1  2  1  0", "  1  1  1  0", 1)
    (tmp_path / "mine.sdf").write_text(text[:first] + bad)
    line = text[:first].count("\n") + 1
    data = load(tmp_path, "mine.sdf")
    assert len(data.graphs) == 10
    said = (
        f"1 of 11 rows is left out, as their molecule cannot be read: line {line}: not a molecule"
    )
    assert any(said in note for note in data.notes)
    (tmp_path / "none.sdf").write_text("smiles,y\nC,1\n")
    with pytest.raises(DataError, match="is no SDF file, or holds no molecules"):
        load(tmp_path, "none.sdf")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_sdf_that_was_cut_short_is_refused(tmp_path: Path, end: str) -> None:
    text = sdf(FRAME)
    last = text.rindex("$$$$\n", 0, -5) + 5  # where the last molecule begins
    line = text[:last].count("\n") + 1
    for cut in (text.rindex("$$$$"), text.index("M  END", last), text.index("> <y>", last) + 3):
        (tmp_path / "cut.sdf").write_bytes(text[:cut].replace("\n", end).encode())
        with pytest.raises(DataError, match=rf"cut.sdf, line {line}: the file ends within"):
            read_table(tmp_path / "cut.sdf")
    (tmp_path / "one.mol").write_bytes(sdf(FRAME[:1]).replace("$$$$\n", "").encode())
    assert len(read_table(tmp_path / "one.mol").rows) == 1
