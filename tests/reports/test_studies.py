"""Tables of studies: what stands in them, what is marked, what is called partial."""

import csv
import io
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from pdf_search.errors import StoreError
from pdf_search.records import Phase, Protocol, State
from pdf_search.results import Store
from reports import has_study, load_study, write_study
from reports.cell import Cell
from reports.grid import Grid, Line
from reports.grid_texts import grid_csv, grid_markdown
from reports.published import published
from reports.studies.matrix import merged
from reports.studies.tables import study_grids
from tests.reports import samples
from tests.reports import study_samples as studies
from tests.reports.test_published import TU, method, tabular

FRACTION = {
    "data": {"name": "zinc", "train_fraction": 0.02},
    "training": {"epochs": 351},
    "stop_epoch": 2,
}


def grids(store: Store, name: str) -> list[Grid]:
    return study_grids(load_study(store, name))


def line(grid: Grid, name: str) -> dict[str, Cell | str]:
    found = next(line for line in grid.lines if " ".join((line.group, line.name)).strip() == name)
    return dict(zip(grid.columns, found.cells, strict=True))


def cell(grid: Grid, name: str, column: str) -> Cell:
    found = line(grid, name)[column]
    assert isinstance(found, Cell)
    return found


def test_the_ablation_has_our_values_beside_the_published_ones(store: Store) -> None:
    studies.ablation(store)
    (grid,) = grids(store, "paper/ablation")
    assert len(grid.lines) == 10
    found = line(grid, "idp ((eps, k), 2L)")
    values = [value for value in store_tests(store, "paper/ablation", 9) if value is not None]
    mean, spread = pytest.approx(fmean(values)), pytest.approx(pstdev(values))
    test, valid = found["test MAE"], found["valid MAE"]
    assert isinstance(test, Cell)
    assert isinstance(valid, Cell)
    assert (test.value, test.spread) == (mean, spread)
    assert (test.n, test.protocol, test.state, test.parameters) == (4, "split", "complete", 49_000)
    assert found["n"] == "4 (seeds 0-3)"
    assert found["parameters"] == "49,000"
    assert cell(grid, "idp ((eps, k), 2L)", "paper: test MAE").printed == "0.066 ± 0.0020"
    assert cell(grid, "idp ((eps, k), 2L)", "paper: valid MAE").printed == "0.085 ± 0.0038"
    assert test.difference == pytest.approx(fmean(values) - 0.066)
    assert valid.difference == pytest.approx((valid.value or 0) - 0.085)
    assert found["state"] == "complete"


def store_tests(store: Store, part: str, number: int) -> list[float | None]:
    """Test values at each replicate's best validation epoch."""
    epochs = store.epochs(part, Phase.CONFIRM, number)
    best = [
        min((epoch.replicates[i] for epoch in epochs), key=lambda r: r.valid or 99.0)
        for i in range(len(epochs[0].replicates))
    ]
    return [replicate.test for replicate in best]


def test_a_whole_study_says_nothing_of_partial(store: Store) -> None:
    studies.ablation(store)
    (grid,) = grids(store, "paper/ablation")
    assert grid.heading == "Study paper/ablation"
    assert grid.notices == ()
    assert "artial" not in grid_markdown(grid)


def test_best_and_second_are_marked_among_ours(store: Store) -> None:
    studies.ablation(store)
    (grid,) = grids(store, "paper/ablation")
    for column in ("valid MAE", "test MAE"):
        marks = {c.mark: c.value for _, name, c in grid.numbers() if name == column}
        values = sorted(c.value or 9 for _, name, c in grid.numbers() if name == column)
        assert (marks["best"], marks["second"]) == (values[0], values[1])
    assert not any(c.mark for _, name, c in grid.numbers() if name.startswith("paper"))


def test_runs_cut_short_are_partial_in_title_and_row_and_nothing_is_marked(store: Store) -> None:
    studies.ablation(store, 10, epochs=2, config=FRACTION)
    (grid,) = grids(store, "paper/ablation")
    assert grid.heading == "Study paper/ablation (partial: cut to 2 epochs)"
    assert grid.notices == (
        "0 of 10 rows are complete",
        "cut after 2 of 351 epochs (10 rows)",
        "trained on 0.02 of the training part (10 rows)",
    )
    assert {line(grid, "shd (Lap, Lin)")["state"]} == {"partial"}
    assert {c.state for _, name, c in grid.numbers() if name == "test MAE"} == {"partial"}
    assert not any(c.mark for *_, c in grid.numbers())
    difference = line(grid, "shd (Lap, Lin)")["difference"]
    assert isinstance(difference, str)
    assert difference.endswith(", outside")
    text = grid_markdown(grid)
    assert "[a] partial: cut after 2 of 351 epochs, trained on 0.02 of the training part" in text


def test_rows_that_have_not_run_are_there_without_numbers(store: Store) -> None:
    studies.ablation(store, 3)
    (grid,) = grids(store, "paper/ablation")
    assert grid.notices == ("3 of 10 rows are complete", "not started (7 rows)")
    waiting = line(grid, "idp ((eps, k), 2L)")
    assert waiting["state"] == "not started"
    assert isinstance(waiting["test MAE"], Cell)
    assert waiting["test MAE"].value is None
    assert waiting["difference"] == "–"
    marks = sorted(c.mark for _, name, c in grid.numbers() if name == "test MAE" and c.mark)
    assert marks == ["best", "second"]  # among the three that are whole


def test_a_running_row_is_partial_and_not_marked(store: Store) -> None:
    record = studies.ablation(store, 3)
    studies.train(store, record, 3, 0.001, 4, 12, state=State.RUNNING)
    (grid,) = grids(store, "paper/ablation")
    running = cell(grid, "shd ((eps, k), 1L)", "test MAE")
    assert running.why == "running, 12 of 20 epochs"
    assert running.mark == ""
    assert running.epochs == "12 of 20"


def test_published_rows_that_a_study_leaves_out_are_shown_as_such(store: Store) -> None:
    rows = [studies.row("idp-((eps, k), 2L)", "zinc", "ablation")]
    (record,) = studies.begin(store, "small", "ablation", rows)
    studies.train(store, record, 0, 0.07)
    (grid,) = grids(store, "small")
    assert len(grid.lines) == 10
    assert line(grid, "shd (Lap, Lin)")["state"] == "not in this study"
    assert line(grid, "shd (Lap, Lin)")["test MAE"] == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.068, "+0.0020, within"),  # exactly one spread away
        (0.0681, "+0.0021, outside"),
        (0.066, "+0.0000, within"),
        (0.05, "-0.0160, outside"),
    ],
)
def test_the_difference_tells_whether_our_mean_is_within_the_published_spread(
    store: Store, value: float, text: str
) -> None:
    rows = [studies.row("idp-((eps, k), 2L)", "zinc", "ablation")]
    (record,) = studies.begin(store, "small", "ablation", rows)
    reports = [samples.EpochReport(20, 0.1, (samples.ReplicateEpoch(0.1, value, value),), 1.0, 1.0)]
    members = (samples.Replicate(0),)
    studies.run(store, record, 0, rows[0]["name"], reports, replicates=members)
    (grid,) = grids(store, "small")
    assert line(grid, "idp ((eps, k), 2L)")["difference"] == text


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


def test_methods_stand_in_the_papers_order(paper: str) -> None:
    columns = [[row.method for row in published(name, "accuracy")] for name in TU]
    assert merged(columns) == [method(row[0]) for row in tabular(paper, "tab:tu_results")]
    results = [
        [r.method for r in published(*key)] for key in (("zinc", "mae"), ("ogbg-molpcba", "ap"))
    ]
    order = [method(row[0]) for row in tabular(paper, "tab:zinc_pcba_results")]
    assert sorted(merged(results)) == sorted(set(order))
    assert merged(results)[-1] == "PDF"


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
