"""Tables of studies: folds, results, round trip, what is marked and what is called partial."""

import csv
import io
import re
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from pdf_search.errors import StoreError
from pdf_search.records import Phase, Protocol, State
from pdf_search.results import Store
from reports import has_study, load_study, write_study
from reports.grid.cell import Cell
from reports.grid.grid import Grid, Line
from reports.grid.grid_texts import grid_csv, grid_markdown
from reports.studies.matrix import papers_grid
from tests.reports import samples
from tests.reports import study_samples as studies
from tests.reports.study_samples import cell, grids, line
from tests.reports.test_published import method, tabular


def test_folds_have_a_row_a_protocol_and_the_upper_bound_is_a_warning(store: Store) -> None:
    studies.folds(store)
    table, comparison = grids(store, "paper/tu")
    ours = {row.name: row.kind for row in table.lines if row.kind != "published"}
    assert ours == {
        "PDF, ours, gin-curve": "ours",
        "PDF, ours, gin-curve, last epoch": "aside",
        "PDF, ours, gin-curve, upper bound (not a valid estimate)": "warning",
        "PDF, ours, inner": "ours",
    }
    column = table.columns[0]
    assert column == "MUTAG accuracy (%)↑"
    epochs = store.epochs("paper/tu/mutag/gin-curve", Phase.CONFIRM, 0)
    tests = [[r.test or 0.0 for r in epoch.replicates] for epoch in epochs]
    chosen = max(tests, key=fmean)
    values = {name: cell(table, name, column) for name in ours}
    assert values["PDF, ours, gin-curve"].value == pytest.approx(100 * fmean(chosen))
    last = values["PDF, ours, gin-curve, last epoch"]
    assert last.value == pytest.approx(100 * fmean(tests[-1]))
    assert last.spread == pytest.approx(100 * pstdev(tests[-1]))
    bound = values["PDF, ours, gin-curve, upper bound (not a valid estimate)"]
    assert bound.value == pytest.approx(100 * fmean(map(max, zip(*tests, strict=True))))
    assert (bound.value or 0) >= (values["PDF, ours, gin-curve"].value or 100)
    assert {c.n for c in values.values()} == {10}
    assert {c.over for c in values.values()} == {"folds"}
    assert any("not a valid estimate" in note for note in table.notes)
    assert len(comparison.lines) == 4


def test_neither_warning_nor_other_protocols_are_marked(store: Store) -> None:
    records = studies.folds(store)
    for record in records:  # far better than anything published
        if record.protocol is Protocol.INNER:
            studies.train(store, record, 0, 0.99, 10)
    table, comparison = grids(store, "paper/tu")
    marked = [(row.name, c.protocol) for row, _, c in table.numbers() if c.mark]
    assert marked
    assert {protocol for _, protocol in marked} == {"gin-curve"}
    assert not any("upper bound" in name or "last epoch" in name for name, _ in marked)
    differences = {row.cells[1]: str(row.cells[-2]) for row in comparison.lines}
    assert differences["inner"].endswith("other protocol")
    assert not differences["gin-curve"].endswith("other protocol")


def test_a_row_that_is_equal_to_another_is_shown_beside_it(store: Store) -> None:
    rows = [studies.row(name, "mutag") for name in ("PDF", "GIN", "PDF again")]
    (record,) = studies.begin(store, "twice", "results", rows[:2])
    facts = record.options["study"] | {"same": {"PDF again": "PDF"}}
    options, definition = {"study": facts}, record.space_definition | {"rows": rows}
    store.update_sweep(record.name, options=options, space_definition=definition)
    studies.train(store, record, 0, 0.90)
    studies.train(store, record, 1, 0.80)
    runs = list(load_study(store, "twice").runs())
    assert [run.name for run in runs] == ["PDF", "GIN", "PDF again"]
    assert runs[2].entry == runs[0].entry
    assert runs[2].entry.summary.mean != runs[1].entry.summary.mean
    table, *_ = grids(store, "twice")
    named = [c.value for row, _, c in table.numbers() if "PDF" in row.name and c.n]
    assert len(named) == 2
    assert len(set(named)) == 1


def nested(store: Store) -> None:
    """Two candidates for PDF on MUTAG under inner."""
    rows = [studies.row(name, "mutag") for name in ("PDF, small", "PDF, large")]
    (record,) = studies.begin(store, "n", "folds", rows, (Protocol.INNER,))
    facts = record.options["study"] | {"nested": {"mutag": {"PDF": [r["name"] for r in rows]}}}
    store.update_sweep(record.name, options={"study": facts})
    studies.train(store, record, 0, 0.90, 10)
    studies.train(store, record, 1, 0.90, 10)


def test_nested_takes_for_each_fold_the_candidate_of_its_inner_part(store: Store) -> None:
    nested(store)
    table, comparison = grids(store, "n")
    runs = {run.name: run for run in load_study(store, "n").runs()}
    assert list(runs) == ["PDF, small", "PDF, large", "PDF"]
    small, large = (runs[name].entry.summary for name in ("PDF, small", "PDF, large"))
    expected = [
        small.test[i] if (small.valid[i] or 0) >= (large.valid[i] or 0) else large.test[i]
        for i in range(10)
    ]
    assert list(runs["PDF"].entry.summary.test) == expected
    found = cell(table, "PDF, ours, nested", table.columns[0])
    assert found.value == pytest.approx(100 * fmean(value or 0.0 for value in expected))
    assert (found.protocol, found.state, found.n, found.parameters) == (
        "nested",
        "complete",
        10,
        None,
    )
    picks = {name: int(count) for name, count in re.findall(r"(PDF, \w+) (\d+)x", found.note)}
    assert sum(picks.values()) == 10
    assert min(picks.values()) > 0
    assert any(note.startswith("Protocol nested") for note in table.notes)
    assert [row.cells[1] for row in comparison.lines] == ["inner", "inner", "nested"]


def test_nested_is_partial_while_a_candidate_is(store: Store) -> None:
    nested(store)
    record = store.sweep("n")
    studies.train(store, record, 1, 0.90, 10, 4, state=State.RUNNING)
    table, _ = grids(store, "n")
    found = cell(table, "PDF, ours, nested", table.columns[0])
    assert found.state == "partial"
    assert "PDF, large: running" in found.why
    studies.train(store, record, 1, 0.90, 5)  # other folds: nothing to choose among
    table, _ = grids(store, "n")
    found = cell(table, "PDF, ours, nested", table.columns[0])
    assert (found.value, found.why) == (None, "candidates on different seeds or folds")


def test_published_rows_are_not_marked_beside_partial_ones(store: Store) -> None:
    studies.folds(store, state=State.RUNNING)
    table, _ = grids(store, "paper/tu")
    assert not any(c.mark for *_, c in table.numbers())
    assert table.heading.endswith("(partial)")


def test_results_have_parameter_counts_as_subscripts(store: Store) -> None:
    rows = [studies.row("PDF", "zinc"), studies.row("PDF", "ogbg-molpcba")]
    records = studies.begin(store, "both", "results", rows)
    studies.train(store, records[0], 0, 0.064)
    table, comparison = grids(store, "both")
    assert table.columns == ("ZINC MAE↓ #para", "ogbg-molpcba AP (%)↑ #para")
    text = grid_markdown(table)
    assert "0.367 ± 0.011 <sub>505k</sub>" in text
    assert "0.168 ± 0.003 <sub>NA</sub>" in text
    assert "<sub>40,000</sub>" in text
    assert line(table, "GAT")[table.columns[1]] == "–"
    assert table.notices == ("1 of 2 rows are complete", "not started (1 row)")
    states = [row.cells[-1] for row in comparison.lines]
    assert states == ["complete", "not started"]


@pytest.mark.parametrize(
    ("table", "label"), [("results", "tab:zinc_pcba_results"), ("folds", "tab:tu_results")]
)
def test_the_papers_tables_have_its_methods_in_its_order(
    paper: str, table: str, label: str
) -> None:
    grid = papers_grid(table, "As in the paper", [])
    printed = [method(row[0]) for row in tabular(paper, label)]
    assert [row.name.removesuffix(" (paper)") for row in grid.lines] == printed
    assert len(grid.columns) == {"results": 3, "folds": 8}[table]
    assert grid.partial == ""


def test_rows_of_several_studies_stand_in_one_table_of_the_paper(store: Store) -> None:
    for name in ("a", "b"):
        (record,) = studies.begin(store, name, "results", [studies.row("PDF", "zinc")])
        studies.train(store, record, 0, 0.064)
    (molecules,) = studies.begin(store, "c", "results", [studies.row("PDF", "ogbg-molpcba")])
    studies.train(store, molecules, 0, 0.3)
    grid = papers_grid("results", "All", [load_study(store, name) for name in "abc"])
    ours = [row.cells for row in grid.lines if row.kind == "ours"]
    assert len(ours) == 2
    assert [[isinstance(c, Cell) for c in cells] for cells in ours] == [
        [True, True, False],
        [True, False, False],
    ]


def test_csv_reads_back_to_the_same_numbers(store: Store) -> None:
    studies.folds(store)
    studies.ablation(store, 5)
    every = [*grids(store, "paper/tu"), *grids(store, "paper/ablation")]
    read = list(csv.DictReader(io.StringIO(grid_csv(every))))
    cells = [(grid, row, column, c) for grid in every for row, column, c in grid.numbers()]
    assert len(read) == len(cells)
    for entry, (grid, row, column, found) in zip(read, cells, strict=True):
        assert (entry["table"], entry["column"]) == (grid.key, column)
        assert entry["line"].endswith(row.name)
        assert numbers(entry) == (
            found.value,
            found.spread,
            found.n,
            found.parameters,
            found.difference,
        )
    ours = next(e for e in read if e["kind"] == "ours" and e["spread"])
    assert (ours["ddof"], ours["protocol"], ours["state"]) == ("0", "gin-curve", "complete")
    assert ours["seeds"] == "folds 0-9 of seed 0"


def numbers(entry: dict[str, Any]) -> tuple[float | None, ...]:
    names = ("value", "spread", "n", "parameters", "difference")
    return tuple(float(entry[name]) if entry[name] else None for name in names)


def test_a_study_is_found_by_its_name_and_by_that_of_a_part(store: Store) -> None:
    studies.folds(store)
    assert load_study(store, "paper/tu/mutag/inner").name == "paper/tu"
    assert has_study(store, "paper/tu")
    samples.search(store, samples.sweep())
    assert not has_study(store, "night")
    with pytest.raises(StoreError, match=r"no study named 'paper/zinc'.*paper/tu"):
        load_study(store, "paper/zinc")


def test_runs_of_more_seeds_join_their_row(store: Store) -> None:
    record = studies.ablation(store, 1)
    members = tuple(samples.Replicate(seed) for seed in (4, 5))
    more = samples.training(record, 0.2, Phase.CONFIRM, 2, seed=99)
    name = studies.ABLATION[0]
    studies.run(store, record, 10, name, more, replicates=members)
    (grid,) = grids(store, "paper/ablation")
    assert line(grid, "shd (Lap, Lin)")["n"] == "6 (seeds 0-5)"
    assert len(grid.lines) == 10


def test_a_study_without_a_part_yet_can_be_written(store: Store, tmp_path: Path) -> None:
    rows = [studies.row("PDF", "mutag")]
    studies.begin(store, "paper/tu", "folds", rows, (Protocol.GIN_CURVE,))
    files = {path.name for path in write_study(store, "paper/tu", tmp_path)}
    assert files == {"table.csv", "table.md", "table.tex", "report.html"}


def test_one_run_prints_without_a_spread() -> None:
    grid = Grid("g", "t", "c", ("x",), (Line("a", (Cell("ours", "q", value=1.5, n=1),)),))
    assert "| 1.500 |" in grid_markdown(grid)
