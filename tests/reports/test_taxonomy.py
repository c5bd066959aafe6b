"""The taxonomy table: against the paper's own, and its rule against matrices that f can give."""

from __future__ import annotations

import csv
import io
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.graphs.bank_builder import build_bank
from pdf_search.model.filters import Filter
from pdf_search.space import paper_trial, taxonomy_names, taxonomy_setting
from reports.grid.cell import PUBLISHED, Cell
from reports.grid.grid_texts import grid_csv, grid_latex, grid_markdown
from reports.published_numbers import checked_files
from reports.tables.taxonomy import COLUMNS, classify, taxonomy_table
from tests.graphs.makers import graph_set, matrices_of, random_graph

ROWS = dict(zip(["Category", "Learnable F", "Learnable D", "Architecture"], COLUMNS, strict=True))


def printed_table(paper: str) -> dict[str, dict[str, str]]:
    """The paper's columns by name."""
    start = paper.index(r"\label{tab:taxonomy}")
    body = paper[paper.index(r"\begin{tabular}", start) : paper.index(r"\end{tabular}", start)]
    for old, new in (
        (r"{l|cccccccc}", ""), (r"\gF", "F"), (r"\gD", "D"), (r"^{\star}", "*"), ("$", ""),
        (r"\begin{tabular}", ""), (r"\toprule", ""), (r"\midrule", ""), (r"\bottomrule", ""),
    ):  # fmt: skip
        body = body.replace(old, new)
    header, *rows = ([c.strip() for c in row.split("&")] for row in body.split(r"\\") if "&" in row)
    table: dict[str, dict[str, str]] = {name: {} for name in header[1:]}
    for title, *cells in rows:
        for name, cell in zip(header[1:], cells, strict=True):
            table[name][ROWS[title]] = cell
    return table


def test_the_quoted_file_is_the_papers_table(paper: str) -> None:
    (tree,) = checked_files("taxonomy")
    ours = {row["method"]: {key: row[key] for key in COLUMNS} for row in tree["rows"]}
    assert ours == printed_table(paper)


def test_what_is_derived_agrees_with_the_paper(paper: str) -> None:
    """Every column of the paper's table that is a point of f(G); its ? claims nothing."""
    printed = {n: row for names, row in printed_table(paper).items() for n in names.split("/")}
    compared = 0
    for name in taxonomy_names():
        setting = taxonomy_setting(name)
        if setting.title not in printed:
            continue
        ours = classify(parse_trial(setting.over(paper_trial("zinc")))).texts()
        for key, text in printed[setting.title].items():
            assert text in ("?", ours[key]), (setting.title, key)
            compared += 1
    assert compared == 7 * 4


def test_the_papers_two_models() -> None:
    """Section 3.3: shd belongs to (a), idp to (b)."""
    for name, architecture in (("pdf-shd", "(a)"), ("pdf-idp", "(b)")):
        for data_set in ("zinc", "mutag", "proteins"):
            tree = taxonomy_setting(f"taxonomy/{name}").over(paper_trial(data_set))
            verdict = classify(parse_trial(tree))
            assert verdict.learnable_d
            assert verdict.learnable_f
            assert verdict.architecture == architecture


def test_the_table() -> None:
    table = taxonomy_table()
    names = [line.name for line in table.lines]
    assert names[:7] == ["GCN", "SGC", "BernNet", "GPR", "JacobiConv", "PGSO", "GIN-0"]
    assert names[9:] == ["Corr-free", "GAT", "TF/MGAT/ExpC", "PNA"]
    for line in table.lines:
        quoted = str(line.cells[-1]).startswith("quoted: PDF paper")
        assert quoted == (line.name in names[9:])
        cells = [cell for cell in line.cells if isinstance(cell, Cell)]
        assert {cell.kind for cell in cells} == ({PUBLISHED} if quoted else {"computed"})
        assert "the paper's table says" not in " ".join(cell.note for cell in cells)
    markdown = grid_markdown(table)
    assert "| PGSO | Spatial | Yes | Yes \\[c] | (a) |" in " ".join(markdown.split())
    assert "eps = 0, eps = -0.25, eps = -0.5, degrees" in markdown
    assert r"\label{tab:taxonomy}" in grid_latex(table)
    rows = [r for r in csv.DictReader(io.StringIO(grid_csv([table]))) if r["line"] == "JacobiConv"]
    assert [row["printed"] for row in rows] == ["Spectral", "Yes", "No", "(c)"]


def test_where_the_paper_says_something_else_the_cell_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tree,) = checked_files("taxonomy")
    rows = [
        {**row, "learnable_d": "Yes"} if row["method"] == "GIN-0" else row for row in tree["rows"]
    ]
    monkeypatch.setattr("reports.tables.taxonomy.checked_files", lambda _: [{**tree, "rows": rows}])
    table = taxonomy_table()
    (line,) = (line for line in table.lines if line.name == "GIN-0")
    cell = line.cells[2]
    assert isinstance(cell, Cell)
    assert cell.printed == "No"
    assert cell.note == "its matrix is given; the paper's table says Yes"


GRAPH = random_graph(np.random.default_rng(4), 12, 0.25)
LIN = {"filter": "lin", "filter_bias": False}
LAP = {"eps": (-0.5,), "k": (1, 2, 3)}
VARIED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    # basis, model, why D is learnable (empty: it is not)
    "powers of one eps": (LAP, LIN, ""),
    "of another eps": ({**LAP, "eps": (-0.2,)}, LIN, ""),
    "with a constant": (LAP, {"filter": "lin"}, "constant"),
    "on hops": ({**LAP, "support": {"hops": 3}}, LIN, ""),
    "powers cut off": ({**LAP, "support": {"hops": 2}}, LIN, "cut off"),
    "one power, cut off": ({"pairs": ((-0.5, 3),), "support": {"hops": 1}}, LIN, ""),
    "standardised": ({**LAP, "standardise": True}, LIN, "standardised"),
    "two eps": ({"eps": (-0.1, -0.5), "k": 1}, LIN, "do not share"),
    "a diagonal": ({**LAP, "diagonals": (0.5,)}, LIN, "degrees"),
    "nonlinear": (LAP, {"filter": "1l", "filter_bias": False}, "nonlinear"),
    "2l": (LAP, {"filter": "2l"}, "nonlinear"),
    "given": (
        {"eps": (-0.1, -0.5), "k": 1},
        {"filter": "fixed", "coefficients": (1.0, 2.0, 3.0), "channels": "shd"},
        "",
    ),
}  # fmt: skip


def largest_commutator(config: TrialConfig) -> float:
    """Of f(G) under five draws of parameters, relative to the matrices' norms; 0 if they share D.

    Over pairs of draws and, with a filter for each channel, of channels.
    """
    bank = build_bank(graph_set([GRAPH]), config.basis)
    values, listed = matrices_of(bank, 0)
    generators = [torch.Generator().manual_seed(seed) for seed in range(5)]
    f = Filter(config.model, config.basis.size, generators).double()
    rows = torch.from_numpy(values.astype(np.float64)).flatten(0, 1)
    with torch.no_grad():
        out = f(rows, torch.ones(5, len(rows), 1)).reshape(5, *listed.shape, -1)
    out = out[..., :2].permute(0, 3, 1, 2).flatten(0, 1).numpy()
    found = [m if bank.hops is None else np.where(listed, m, 0) for m in out]
    return max(
        float(np.linalg.norm(a @ b - b @ a) / np.linalg.norm(a) / np.linalg.norm(b))
        for a, b in combinations(found, 2)
    )


@pytest.mark.parametrize("channels", ["shd", "idp"])
@pytest.mark.parametrize("name", VARIED)
def test_the_rule_is_what_the_matrices_do(name: str, channels: str) -> None:
    basis, model, reason = VARIED[name]
    tree = paper_trial("zinc") | {"basis": basis}
    config = parse_trial(tree | {"model": {"hidden": 8, "channels": channels} | model})
    verdict = classify(config)
    assert verdict.learnable_d == bool(reason)
    assert reason in verdict.reason
    turned = largest_commutator(config)
    assert turned > 1e-3 if verdict.learnable_d else turned < 1e-6


@pytest.mark.parametrize("name", taxonomy_names())
def test_the_rule_on_the_shipped_settings(name: str) -> None:
    config = parse_trial(taxonomy_setting(name).over(paper_trial("zinc")))
    turned = largest_commutator(config)
    assert turned > 1e-3 if classify(config).learnable_d else turned < 1e-6


@pytest.mark.parametrize(
    ("basis", "model", "spectral"),
    [
        (LAP, LIN, True),
        ({**LAP, "eps": (-0.4,)}, LIN, False),
        (LAP, {"filter": "2l"}, False),
        ({"eps": (0.0, -0.5), "k": 1}, {"coefficients": (1.0, 0.0, 2.0)}, True),
        ({"eps": (0.0, -0.5), "k": 1}, {"coefficients": (1.0, 0.5, 2.0)}, False),
        ({"eps": (-0.5,), "k": 1, "standardise": True}, {"coefficients": (0.0, 2.0)}, False),
    ],
)
def test_spectral_means_the_laplacians_eigenvectors(
    basis: dict[str, Any], model: dict[str, Any], spectral: bool
) -> None:
    if "coefficients" in model:
        model = {**model, "filter": "fixed", "channels": "shd"}
    assert (
        classify(parse_trial(paper_trial("zinc") | {"basis": basis, "model": model})).spectral
        == spectral
    )
