"""Timing and complexity: published times as printed, ours from the record, memory as measured."""

from dataclasses import replace

import pytest

from pdf_search.records import Phase, State
from pdf_search.results import Store
from reports import complexity_grid, load_study
from reports.grid.cell import Cell
from reports.grid.grid import Grid, Line
from reports.studies.study_tables import study_grids
from tests.reports import study_samples as studies

WHOLE = "whole epoch"


def grids(store: Store) -> list[Grid]:
    return study_grids(load_study(store, "paper/timing"))


def named(grid: Grid, name: str) -> dict[str, Cell | str]:
    line: Line = next(line for line in grid.lines if line.name == name)
    return dict(zip(grid.columns, line.cells, strict=True))


def test_times_stand_beside_the_papers(store: Store) -> None:
    studies.timing(store)
    zinc, reddit, complexity = grids(store)
    assert (zinc.partial, reddit.partial) == ("", "")
    printed = named(zinc, "GIN (paper)")
    training = printed["training"]
    assert isinstance(training, Cell)
    assert (training.printed, training.value, training.n) == ("3.016 ± 0.198", 3.016, 50)
    assert printed["device"] == "A100 40 GiB"
    total = printed[WHOLE]
    assert isinstance(total, Cell)
    assert (total.printed, total.kind) == ("4.080", "computed")  # 3.016 + 0.531 + 0.533
    assert named(reddit, "GIN (paper)")["eval (test)"] == "–"
    assert len(complexity.lines) == 7


def test_what_is_odd_about_the_data_is_said(store: Store) -> None:
    record = studies.timing(store)[0]
    options = {**record.options, "data_notes": ["20 of 12,000"]}
    store.update_sweep(record.name, options=options)
    zinc, reddit, _ = grids(store)
    assert zinc.notes[-1] == "Data: zinc: 20 of 12,000"
    assert not any(note.startswith("Data") for note in reddit.notes)


def test_our_time_is_over_the_epochs_without_the_first(store: Store) -> None:
    record = studies.timing(store)[0]
    for epoch in store.epochs(record.name, Phase.CONFIRM, 0):
        seconds = 100.0 if epoch.epoch == 1 else 1.0 + epoch.epoch % 2
        store.add_epoch(record.name, Phase.CONFIRM, 0, replace(epoch, seconds=seconds))
    cell = named(grids(store)[0], "GIN, ours")[WHOLE]
    assert isinstance(cell, Cell)
    assert (cell.value, cell.spread, cell.n) == (pytest.approx(1.5), pytest.approx(0.5), 50)
    assert (cell.state, cell.over) == ("complete", "epochs")


def test_the_parts_of_an_epoch_have_their_own_columns(store: Store) -> None:
    record = studies.timing(store)[0]
    for epoch in store.epochs(record.name, Phase.CONFIRM, 0):
        parts = {"train": 2.0 + epoch.epoch % 2, "valid": 0.5}
        store.add_epoch(record.name, Phase.CONFIRM, 0, replace(epoch, part_seconds=parts))
    cells = named(grids(store)[0], "GIN, ours")
    training, valid = cells["training"], cells["eval (valid)"]
    assert isinstance(training, Cell)
    assert isinstance(valid, Cell)
    assert (training.value, training.spread, training.n) == (pytest.approx(2.5), 0.5, 50)
    assert (valid.value, valid.quantity) == (0.5, "seconds, eval (valid)")
    assert cells["eval (train)"] == cells["eval (test)"] == "–"


def test_parts_that_were_measured_apart_stand_in_their_columns(store: Store) -> None:
    record = studies.timing(store)[0]
    assert "one time an epoch" in " ".join(grids(store)[0].notes)
    for number in range(3):
        for epoch in store.epochs(record.name, Phase.CONFIRM, number):
            parts = {"train": 1.0, "valid": 0.25, "test": 0.125 * (1 + epoch.epoch % 2)}
            store.add_epoch(record.name, Phase.CONFIRM, number, replace(epoch, part_seconds=parts))
    zinc = grids(store)[0]
    ours = named(zinc, "GIN, ours")
    training, test = ours["training"], ours["eval (test)"]
    assert isinstance(training, Cell)
    assert training.value == 1.0
    assert isinstance(test, Cell)
    assert (test.value, test.spread, test.n) == (pytest.approx(0.1875), pytest.approx(0.0625), 50)
    assert ours["eval (train)"] == "–"
    assert "one time an epoch" not in " ".join(zinc.notes)


def test_fewer_epochs_than_the_papers_are_partial(store: Store) -> None:
    studies.timing(store, epochs=2)
    zinc = grids(store)[0]
    cell = named(zinc, "idp-PDF, ours")[WHOLE]
    assert isinstance(cell, Cell)
    assert (cell.n, cell.state) == (1, "partial")
    assert cell.why == "2 of 8 epochs, epochs timed: 1, the paper's: 50"
    assert zinc.heading.endswith("(partial)")


def test_a_row_that_waits_has_no_time(store: Store) -> None:
    rows = [studies.row("GIN", "zinc", "timing")]
    records = studies.begin(store, "paper/timing", "timing", rows)
    assert store.trials(records[0].name, Phase.CONFIRM)[0].state is State.NOT_STARTED
    cell = named(grids(store)[0], "GIN, ours")[WHOLE]
    assert isinstance(cell, Cell)
    assert (cell.value, cell.state) == (None, "not started")


def test_measured_memory_stands_in_the_line_of_its_method(store: Store) -> None:
    studies.timing(store)
    grid = grids(store)[-1]
    assert grid.columns == ("time", "memory", *columns("ZINC", "ZINC, 1-hop", "RDT-B"))
    idp, gcn = named(grid, "idp-PDF"), named(grid, "GCN")
    assert idp["time"] == "$O(mkd+l(md+nd^2))$"
    memory = idp["peak MiB, ZINC"]
    assert isinstance(memory, Cell)
    assert (memory.value, memory.unit) == (300.0, "MiB")
    assert set(gcn.values()) == {"$O(l(md+nd^2))$", "$O(m+l(nd+d^2))$", "–"}


def columns(*names: str) -> tuple[str, ...]:
    return tuple(f"peak MiB, {name}" for name in names)


def test_without_measurements_the_papers_table_stands_alone() -> None:
    grid = complexity_grid()
    assert grid.columns == ("time", "memory")
    assert not any("measured" in note for note in grid.notes)
