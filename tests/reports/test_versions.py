"""Versions of featuriser and split: under every table, in ``show``, and said where they mix."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pdf_search.records import Phase
from pdf_search.results import Store
from reports import leaderboard_grid, load_study, load_sweep, result_grid
from reports.grid.grid_texts import grid_markdown
from reports.show import find_trial, show_sweep, show_trial
from reports.studies.matrix import papers_grid
from reports.versions import version_notes
from tests.reports import samples
from tests.reports import study_samples as studies


def config(name: str = "csv", version: int | None = 2, **more: Any) -> dict[str, Any]:
    keys = {} if version is None else {"featuriser": version, "split_version": version}
    return {"data": {"name": name, **keys}, **more}


def notes(*configs: dict[str, Any]) -> list[str]:
    return list(version_notes((f"row {i}", tree) for i, tree in enumerate(configs)))


def test_one_version_is_named_where_molecules_are_read() -> None:
    assert notes(config(), config()) == ["Versions: featuriser 2, split 2."]
    assert notes(config(version=None)) == ["Versions: featuriser 1, split 1."]
    assert notes(config("zinc"), config("mutag", folds=10)) == []
    assert notes(config("ogbg-molhiv")) == []
    assert notes(config("ogbg-molhiv", folds=5)) == ["Versions: featuriser 2, split 2."]


def test_a_mixture_says_which_row_is_of_which_version() -> None:
    found = notes(config(version=None), config(), config())
    assert found[0] == (
        "Versions are mixed: featuriser 1, split 1 (row 0); featuriser 2, split 2 (row 1, row 2)."
    )
    assert "not to be compared" in found[1]


def test_a_mixture_that_does_not_matter_says_so() -> None:
    found = notes(config("zinc", None), config("zinc"))
    assert found[0].startswith("Versions are mixed")
    assert "leave them alike" in found[1]


def test_versions_of_a_sweep(store: Store) -> None:
    record = samples.sweep("freesolv")
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,))
    data = load_sweep(store, "night")
    assert "Versions: featuriser 1, split 1." in result_grid(data).notes
    assert "Versions: featuriser 1, split 1." in show_sweep(data).splitlines()
    trial = store.trials("night", Phase.CONFIRM)[0]
    newer = {**trial.config, "data": {"name": "freesolv", "featuriser": 2, "split_version": 2}}
    store.save_trial(replace(trial, config=newer))
    data = load_sweep(store, "night")
    mixed = [note for note in result_grid(data).notes if note.startswith("Versions are mixed")]
    assert len(mixed) == 1
    assert f"featuriser 2, split 2 (confirm trial {trial.number} of night)" in mixed[0]
    assert mixed[0] in show_sweep(data)
    assert mixed[0] in grid_markdown(leaderboard_grid(data))
    shown = show_trial(data, find_trial(data, trial.number, Phase.CONFIRM))
    assert "featuriser 2, split 2" in shown


def test_a_table_of_several_studies_says_which_is_of_which_version(store: Store) -> None:
    for name, versions in (("a", {}), ("b", {"featuriser": 2, "split_version": 2})):
        (record,) = studies.begin(store, name, "results", [studies.row("PDF", "zinc")])
        studies.train(store, record, 0, 0.064)
        (trial,) = store.trials(name, Phase.CONFIRM)
        data = {**trial.config["data"], **versions}
        store.save_trial(replace(trial, config={**trial.config, "data": data}))
    grid = papers_grid("results", "All", [load_study(store, name) for name in "ab"])
    mixed = next(note for note in grid.notes if note.startswith("Versions are mixed"))
    assert "featuriser 1, split 1 (PDF of a)" in mixed
    assert "featuriser 2, split 2 (PDF of b)" in mixed
