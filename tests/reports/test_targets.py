"""Each target of a data set with several has a line of its own, in every form."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from pdf_search.records import Phase
from pdf_search.results import Store
from reports import load_sweep, write_report
from reports.show import find_trial, show_sweep, show_trial
from reports.tables.pooled import pooled_runs
from reports.tables.target_table import target_grid
from tests.reports import samples

VALUES = [[1.0, 2.5, None], [1.4, 2.1, None], [1.2, 2.0, None], [1.1, 2.2, None]]
FOUND: dict[str, Any] = {
    "test": {"values": VALUES, "n": [[60, 55, 0]] * 3 + [[60, 57, 0]]},
    "valid": {"values": [[0.9, 2.0, 3.5]] * 3 + [[0.9, 2.0, None]], "n": [[61, 50, 2]] * 4},
}


def recorded(store: Store, found: dict[str, Any] | None = FOUND) -> None:
    record = samples.sweep("freesolv")
    options = {**record.options, "targets": ["expt", "log_S", "rare"]}
    record = replace(record, options=options)
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    trial = store.trials("night", Phase.CONFIRM)[0]
    store.save_trial(replace(trial, by_target=found))


def test_the_store_keeps_them(store: Store) -> None:
    recorded(store)
    confirmed, baseline = store.trials("night", Phase.CONFIRM)
    assert confirmed.by_target == FOUND
    assert baseline.by_target is None


def test_a_line_a_target_with_spread_and_counts(store: Store) -> None:
    recorded(store)
    grid = target_grid(load_sweep(store, "night"))
    assert grid is not None
    assert [line.name for line in grid.lines] == ["expt", "log_S", "rare"]
    assert [line.cells[-1] for line in grid.lines] == ["60", "55 to 57", "0"]
    cells = {(line.name, cell.split): cell for line, _, cell in grid.numbers()}
    first = [row[0] for row in VALUES]
    assert cells["expt", "test"].value == fmean(v for v in first if v is not None)
    assert cells["expt", "test"].spread == pstdev([1.0, 1.4, 1.2, 1.1])
    assert (cells["expt", "test"].n, cells["expt", "test"].unit) == (4, "kcal/mol")
    assert cells["rare", "test"].printed == "undefined"
    assert cells["rare", "test"].note == "undefined: no graph with a value in the test part"
    assert cells["rare", "valid"].value == 3.5
    assert "of 1 of 4 replicates" in cells["rare", "valid"].note
    assert (
        "the mean of the values of 3 targets, each in its own unit, counted once" in grid.notes[0]
    )


def test_the_report_has_it_in_every_form(store: Store, tmp_path: Path) -> None:
    recorded(store)
    written = {path.name for path in write_report(store, "night", tmp_path)}
    assert {"targets.md", "targets.csv", "targets.tex"} <= written
    texts = {end: (tmp_path / f"targets.{end}").read_text() for end in ("md", "csv", "tex")}
    assert "log\\_S" in texts["tex"]
    assert "undefined" in texts["md"]
    lines = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert [(line["line"], line["split"]) for line in lines][:3] == [
        ("expt", "test"),
        ("expt", "valid"),
        ("log_S", "test"),
    ]
    assert float(lines[0]["value"]) == fmean([1.0, 1.4, 1.2, 1.1])
    page = (tmp_path / "report.html").read_text()
    assert '<section id="targets">' in page
    assert "<td>log_S</td>" in page


def test_show_prints_them(store: Store) -> None:
    recorded(store)
    data = load_sweep(store, "night")
    shown = show_trial(data, find_trial(data, 0, Phase.CONFIRM))
    line = next(line for line in shown.splitlines() if line.strip().startswith("log_S"))
    assert "55 to 57" in line
    assert "undefined: no graph with a value" in shown


def test_show_prints_them_of_every_confirmed_trial(store: Store) -> None:
    recorded(store)
    data = load_sweep(store, "night")
    table = show_sweep(data).partition("test RMSE (kcal/mol) of each target\n")[2].splitlines()
    assert [line.split() for line in table] == [
        ["target", "trial", "15"],
        ["expt", "1.18", "±", "0.15"],
        ["log_S", "2.20", "±", "0.19"],
        ["rare", "undefined"],
    ]
    assert "... and 1 more in targets.csv" in show_sweep(data, limit=2)


def test_a_searched_trial_says_where_they_are(store: Store) -> None:
    recorded(store)
    data = load_sweep(store, "night")
    shown = show_trial(data, find_trial(data, 0))
    assert "RMSE: the mean of the values of 3 targets" in shown
    assert "Each target's own value is recorded when a trial is confirmed." in shown


def test_without_them_there_is_no_table(store: Store, tmp_path: Path) -> None:
    recorded(store, None)
    assert "of each target" not in show_sweep(load_sweep(store, "night"))
    assert target_grid(load_sweep(store, "night")) is None
    names = {path.name for path in write_report(store, "night", tmp_path)}
    assert not any(name.startswith("targets") for name in names)
    assert '<section id="targets">' not in (tmp_path / "report.html").read_text()


def test_runs_of_one_configuration_are_pooled_by_replicate(store: Store) -> None:
    recorded(store)
    sweep = store.sweep("night")
    one = store.trials("night", Phase.CONFIRM)[0]
    replicates = tuple(replace(r, seed=r.seed + 50) for r in one.replicates)
    other = replace(one, number=7, replicates=replicates)
    epochs = store.epochs("night", Phase.CONFIRM, 0)
    ((pooled, _),) = pooled_runs(sweep, [(one, epochs), (other, epochs)])
    assert pooled.by_target is not None
    assert pooled.by_target["test"]["values"] == VALUES + VALUES
    ((pooled, _),) = pooled_runs(sweep, [(one, epochs), (replace(other, by_target=None), epochs)])
    assert pooled.by_target is None
