"""The shipped studies: the settings of the ablation, the rows, their published names."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pdf_search.config import parse_trial
from pdf_search.space import load_study, paper_trial, study_names
from reports.published_numbers import published

from .test_paper import ROWS

GRID = {(-0.1, 4), (-0.2, 4), (-0.3, 4), (-0.4, 4), (-0.5, 4)}
# Columns of "Ablation study settings on ZINC": (eps, k), support, activation in the filter.
COLUMNS: dict[str, tuple[set[tuple[float, int]], str, str]] = {
    "(Lap, Lin)": ({(-0.5, k) for k in range(1, 6)}, "Dense", "Linear"),
    "((eps, k), Lin)": (
        {(-0.1, 3), (-0.2, 3), (-0.3, 4), (-0.4, 4), (-0.5, 4)}, "Dense", "Linear"
    ),
    "((eps, k), 2L) sparse": (GRID, "Sparse", "GELU"),
    "((eps, k), 1L)": (GRID, "Dense", "GELU"),
    "((eps, k), 2L)": (GRID, "Dense", "GELU"),
}  # fmt: skip
FILTERS = {"Lin": "lin", "1L": "1l", "2L": "2l"}
SHARED: dict[str, Any] = {
    "hidden": 160, "layers": 6, "dropout": 0, "readout": "Mean", "batch": 64, "rate": 0.001,
    "step": 35, "gamma": 0.6, "warmup": 5, "decay": 5e-5,
}  # fmt: skip


@pytest.mark.parametrize("channels", ["shd", "idp"])
@pytest.mark.parametrize("case", list(COLUMNS))
def test_the_ablation_has_the_settings_of_its_table(channels: str, case: str) -> None:
    (row,) = load_study("paper/ablation", only=[f"{channels}-{case}"]).rows
    pairs, support, _ = COLUMNS[case]
    model, training = row.config.model, row.config.training
    assert set(row.config.basis.grid) == pairs
    assert row.config.basis.hops == (2 if support == "Sparse" else None)  # "beyond 2-hop" masked
    found = re.search(r"(Lin|1L|2L)\)", case)
    assert found is not None
    assert (model.channels, model.filter) == (channels, FILTERS[found.group(1)])
    assert (model.hidden, model.layers, model.dropout) == (160, 6, 0)
    assert (model.readout, training.batch_size) == ("mean", 64)
    assert (training.learning_rate, training.weight_decay) == (0.001, 5e-5)
    assert training.schedule == parse_trial(paper_trial("zinc")).training.schedule
    assert training.schedule.warmup == SHARED["warmup"]


def test_the_ablation_has_ten_rows() -> None:
    rows = load_study("paper/ablation").rows
    assert [row.name for row in rows] == [f"{c}-{case}" for c in ("shd", "idp") for case in COLUMNS]


def test_the_typed_ablation_settings_are_those_of_the_paper(paper: str) -> None:
    table = paper[paper.index(r"\label{tab:ablation_settings}") :]
    table = table[: table.index(r"\end{tabular}")]
    lines = {
        title: line
        for title in [*ROWS.values(), r"$\sigma$"]
        for line in table.splitlines()
        if line.strip().startswith(title)
    }
    for key, value in SHARED.items():
        cell = re.search(r"\\multicolumn\{5\}\{c\}\{(.*?)\}", lines[ROWS[key]])
        assert cell is not None
        assert cell[1] == value if isinstance(value, str) else float(cell[1]) == value
    for title, place in ((r"$\gG$", 1), (r"$\sigma$", 2)):
        cells = [cell.strip().removesuffix(r"\\") for cell in lines[title].split("&")[1:]]
        assert cells == [column[place] for column in COLUMNS.values()]
    grids = re.findall(r"\\makecell\{(.*?)\}", table)
    pairs = [re.findall(r"\((-?[\d.]+), (\d)", grid) for grid in grids]
    assert [{(float(e), int(k)) for e, k in grid} for grid in pairs] == [
        column[0] for column in COLUMNS.values()
    ]
    assert all(len(grid) == 5 for grid in pairs)
    assert "masking all neighbors beyond 2-hop" in paper


def test_the_code_setting_of_molpcba_has_one_more_eps() -> None:
    paper, code = (parse_trial(paper_trial(name)) for name in ("ogbg-molpcba", "ogbg-molpcba@code"))
    assert (paper.basis.size, code.basis.size) == (21, 26)
    assert set(code.basis.grid) - set(paper.basis.grid) == {(-0.15, k) for k in range(1, 6)}
    assert code.model_copy(update={"basis": paper.basis}) == paper


def test_tu_has_the_eight_sets_under_both_protocols() -> None:
    study = load_study("paper/tu")
    assert len(study.rows) == 8
    assert len(study.parts()) == 16
    for row in study.rows:
        paper = parse_trial(paper_trial(row.dataset))
        assert row.config == paper
    for part in study.parts():
        ((_, config),) = part.runs
        assert config.folds == 10
        assert config.protocol is part.protocol


def test_timing_has_the_rows_of_both_tables() -> None:
    zinc, reddit = load_study("paper/timing").parts()
    assert [name for name, _ in zinc.runs] == [
        "GIN", "shd-PDF 1-hop", "shd-PDF", "idp-PDF 1-hop", "idp-PDF"
    ]  # fmt: skip
    assert [name for name, _ in reddit.runs] == ["GIN", "shd-PDF 1-hop", "idp-PDF 1-hop"]
    for part in (zinc, reddit):
        for name, config in part.runs:
            assert config.epochs == 50
            assert config.folds is None
            assert config.model.architecture == ("gin" if name == "GIN" else "pdf")
            if name != "GIN":
                assert config.model.channels == name[:3]
                assert config.basis.hops == (1 if name.endswith("1-hop") else None)


@pytest.mark.parametrize("study", study_names())
def test_published_numbers_are_named_as_the_baselines_name_them(study: str) -> None:
    for row in load_study(study).rows:
        assert row.published is not None
        if row.published.table == "timing":
            continue
        metric = "accuracy" if row.config.folds or row.dataset == "ogbg-ppa" else None
        metric = metric or ("mae" if row.dataset == "zinc" else "ap")
        there = [entry.method for entry in published(row.dataset, metric, row.published.table)]
        assert row.published.method in there
