"""Published numbers against the paper's own LaTeX, every one of them."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reports.published_numbers import FOLDER, Published, checked_files, published, read_files

COMPARISON = {"zinc": "mae", "ogbg-molpcba": "ap", "ogbg-ppa": "accuracy"}
TU = ["mutag", "nci1", "nci109", "enzymes", "ptc_mr", "proteins", "imdb-binary", "reddit-binary"]
NAMES = {r"GINE-{\scriptsize AP}": "GINE-AP", "$k$-GNN": "k-GNN", "GCN$^2$": "GCN²"}


def tabular(paper: str, label: str) -> list[list[str]]:
    start = paper.index(rf"\label{{{label}}}")
    body = paper[paper.index(r"\begin{tabular}", start) : paper.index(r"\end{tabular}", start)]
    lines = body.split(r"\midrule", 1)[1].splitlines()
    return [[cell.strip() for cell in line.split("&")] for line in lines if "&" in line]


def plain(cell: str) -> str:
    return re.sub(r"\\textbf|\\underline|\\mathrm|\\\\|[{}$\s]", "", cell)


def method(cell: str) -> str:
    return "PDF" if cell.startswith(r"\method") else NAMES.get(cell, cell)


def as_printed(cell: str) -> tuple[str, str, str, str] | None:
    """Value, spread, parameters, note of a cell."""
    found = re.fullmatch(
        r"([\d.]+)(?:\\pm([\d.]+))?(\^\*)?(?:_(\w+\.?\w*))?", plain(cell).replace(r"\pm ", r"\pm")
    )
    if found is None:
        assert plain(cell) == "-", f"cannot read {cell!r}"
        return None
    value, spread, star, parameters = found.groups()
    note = "sparse matrix representations" if star else ""
    return value, spread or "", "" if parameters in (None, "NA") else parameters, note


def ours(row: Published) -> tuple[str, str, str, str]:
    return row.text, row.spread_text, row.parameters, row.note


@pytest.mark.parametrize("name", COMPARISON)
def test_comparison_table(paper: str, name: str) -> None:
    column = list(COMPARISON).index(name) + 1
    rows = [
        (method(row[0]), as_printed(row[column])) for row in tabular(paper, "tab:zinc_pcba_results")
    ]
    expected = [(who, cell) for who, cell in rows if cell]
    assert [(row.method, ours(row)) for row in published(name, COMPARISON[name])] == expected


@pytest.mark.parametrize("name", TU)
def test_tu_table(paper: str, name: str) -> None:
    column = TU.index(name) + 1
    rows = [(method(row[0]), as_printed(row[column])) for row in tabular(paper, "tab:tu_results")]
    expected = [(who, cell) for who, cell in rows if cell]
    assert [(row.method, ours(row)) for row in published(name, "accuracy")] == expected


def test_ablation_table(paper: str) -> None:
    expected = []
    group = ""
    for row in tabular(paper, "tab:ablation"):
        found = re.search(r"\{(shd|idp)\+\}", row[0])
        group = found.group(1) if found else group
        basis = "Lap" if "Lap" in row[1] else "(eps, k)"
        kind = re.findall(r"\\textrm\{(Lin|1L|2L)\}", row[1])[0]
        sparse = " sparse" if "sps" in row[1] else ""
        valid, test = as_printed(row[2]), as_printed(row[3])
        assert valid is not None
        assert test is not None
        numbers = tuple(float(x) for x in (*valid[:2], *test[:2]))
        expected.append((f"{group}-({basis}, {kind}){sparse}", *numbers))
    rows = published("zinc", "mae", "ablation")
    assert [(r.method, r.valid, r.valid_spread, r.value, r.spread) for r in rows] == expected
    assert len(rows) == 10


def test_the_papers_pdf_rows() -> None:
    pdf = {
        name: next(row for row in published(name, metric) if row.method == "PDF")
        for name, metric in {**COMPARISON, **dict.fromkeys(TU, "accuracy")}.items()
    }
    assert (pdf["mutag"].text, pdf["mutag"].spread_text) == ("89.91", "4.35")
    assert pdf["zinc"].value == 0.066
    assert pdf["mutag"].protocol == "gin-curve"
    assert pdf["zinc"].protocol == "split"


def number(cell: str) -> str:
    return plain(cell).replace(",", "")


def test_statistics_table(paper: str) -> None:
    (tree,) = checked_files("statistics")
    keys = ("graphs", "nodes", "edges")
    flags = {True: "Y", False: "N"}
    ours = [
        (
            row["dataset"],
            *(str(row[key]) for key in keys),
            flags[row["node_attributes"]],
            flags[row["edge_attributes"]],
            row["task"],
        )
        for row in tree["rows"]
    ]
    rows = tabular(paper, "tab:dataset_statistics")
    printed = [
        (plain(r[0]).replace("\\", ""), *map(number, r[1:4]), r[4], r[5], r[6].rstrip("\\ "))
        for r in rows
    ]
    assert ours == printed
    assert len(ours) == 11


@pytest.mark.parametrize(
    ("dataset", "label", "count"),
    [("ZINC", "tab:zinc_time_stat", 5), ("RDT-B", "tab:rdtb_time_stat", 3)],
)
def test_timing_tables(paper: str, dataset: str, label: str, count: int) -> None:
    tree = next(t for t in checked_files("timing") if t["dataset"] == dataset)
    parts = ("train", "eval_train", "eval_valid", "eval_test")
    ours = [
        (row["method"], *(f"{row[part][0]}\\pm{row[part][1]}" for part in parts if part in row))
        for row in tree["rows"]
    ]
    expected, group = [], ""
    for cells in tabular(paper, label):
        cut = 1 if len(cells) == 4 or "multicolumn" in cells[0] else 2
        head = "".join(cells[:cut])
        found = re.search("shd|idp", head)
        group = found.group() if found else group
        hop = " 1-hop" if "1-hop" in head else ""
        expected.append(("GIN" if "GIN" in head else f"{group}-PDF{hop}", *map(plain, cells[cut:])))
    assert ours == expected
    assert len(ours) == count
    assert f"over ${tree['epochs']}$ epochs (seconds)" in paper


def test_complexity_table(paper: str) -> None:
    (tree,) = checked_files("complexity")
    ours = [(row["method"], row["time"], row["memory"]) for row in tree["rows"]]
    expected = [
        (
            re.sub(r"~\\citep\{.*?\}", "", name).replace(r"\method", "PDF"),
            time,
            memory.removesuffix(r"\\"),
        )
        for name, time, memory in tabular(paper, "tab:complexity")
    ]
    assert ours == expected


TABLES = {
    "zinc-ablation": "tab:ablation",
    **dict.fromkeys(COMPARISON, "tab:zinc_pcba_results"),
    **dict.fromkeys(TU, "tab:tu_results"),
    "statistics": "tab:dataset_statistics",
    "complexity": "tab:complexity",
    "zinc-timing": "tab:zinc_time_stat",
    "reddit-binary-timing": "tab:rdtb_time_stat",
}


def files() -> dict[str, dict[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.toml")}


@pytest.mark.parametrize("name", TABLES)
def test_sources_name_the_papers_tables_by_their_numbers(paper: str, name: str) -> None:
    """Tables are numbered in the order of their captions."""
    tables = re.findall(r"\\begin\{table\*?\}(.*?)\\end\{table\*?\}", paper, re.DOTALL)
    labels = [re.findall(r"\\label\{(.*?)\}", table)[0] for table in tables]
    tree = files()[name]
    rows = [row["source"] for row in tree["rows"] if "source" in row]
    wanted = f"PDF paper, Table {labels.index(TABLES[name]) + 1}"
    assert all(re.match(rf"{wanted}\b", source) for source in rows or [tree["source"]])


def test_only_what_these_tests_compare_with_the_paper_is_called_checked() -> None:
    compared = {*TABLES, "taxonomy"}  # its numbers: test_taxonomy
    trees = files()
    assert {name for name, tree in trees.items() if tree.get("checked")} == compared
    for tree in trees.values():
        sources = [tree.get("source", ""), *(row.get("source", "") for row in tree["rows"])]
        assert all(source.startswith("PDF paper, Table") for source in sources if source)


def test_what_was_not_checked_is_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (FOLDER / "zinc.toml").read_text("utf-8")
    (tmp_path / "zinc.toml").write_text(text.replace("checked = true\n", ""))
    monkeypatch.setattr("reports.published_numbers.FOLDER", tmp_path)
    read_files.cache_clear()
    assert published("zinc", "mae") == []
    (tmp_path / "zinc.toml").write_text(text)
    read_files.cache_clear()
    assert len(published("zinc", "mae")) == 16
    monkeypatch.undo()
    read_files.cache_clear()


def test_every_row_names_protocol_and_source() -> None:
    for name, metric in {**COMPARISON, **dict.fromkeys(TU, "accuracy")}.items():
        for row in published(name, metric):
            assert row.protocol in ("split", "gin-curve", "as quoted")
            assert row.source


def test_names_are_forgiving_and_metrics_are_not() -> None:
    assert published("PTC-MR", "accuracy") == published("ptc_mr", "accuracy")
    assert published("IMDB-B", "accuracy") == published("imdb-binary", "accuracy")
    assert published("zinc", "rmse") == []
    assert published("freesolv", "rmse") == []
