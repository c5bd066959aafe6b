"""The score on an exported model's card: the name and the notes of its row in the tables."""

from __future__ import annotations

from pathlib import Path

from pdf_search.api import Trial
from pdf_search.records import Phase
from pdf_search.results import Store
from pdf_search.sweep import SweepFolder
from reports import load_sweep
from tests.reports import samples

CONFIG = {
    "data": {"name": "freesolv", "train_fraction": 0.5},
    "basis": {"eps": [-0.3], "k": 2},
    "training": {"epochs": 40},
    "stop_epoch": samples.EPOCHS,
}


def test_the_row_has_the_tables_name_and_a_cut_run_is_told(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        record = samples.sweep()
        samples.search(store, record)
        samples.confirm(store, record, (15,), (1.1,), config=CONFIG)
        data = load_sweep(store, "night")
    folder = SweepFolder(tmp_path, "night", None)
    entry, baseline = (Trial(folder, data, found) for found in data.confirm)
    assert entry.phase is Phase.CONFIRM
    assert "\n| PDF, trial 15 |" in entry.score.table
    assert entry.score.table.endswith(
        "The model of this score was cut after 20 of 40 epochs and trained on 0.5 of the training "
        "part."
    )
    assert ("trial", "0 of phase confirm (confirm of 15)") in entry.score.provenance
    assert entry.spread is not None
    assert baseline.spread is None
