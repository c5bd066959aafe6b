"""Published numbers against the paper's own LaTeX, every one of them."""

import re

import pytest

from reports.published import FOLDER, Published, published

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


def test_every_row_names_protocol_and_source() -> None:
    files = sorted(FOLDER.glob("*.toml"))
    assert len(files) == 12
    for name, metric in {**COMPARISON, **dict.fromkeys(TU, "accuracy")}.items():
        for row in published(name, metric):
            assert row.protocol in ("split", "gin-curve", "as quoted")
            assert row.source


def test_names_are_forgiving_and_metrics_are_not() -> None:
    assert published("PTC-MR", "accuracy") == published("ptc_mr", "accuracy")
    assert published("IMDB-B", "accuracy") == published("imdb-binary", "accuracy")
    assert published("zinc", "rmse") == []
    assert published("freesolv", "rmse") == []
