"""Several targets: it is said what the metric averages, and when their scales decide it."""

from __future__ import annotations

from pathlib import Path

from pdf_search.config import DataConfig, TrialConfig
from pdf_search.data import Prepared, load_prepared, prepare, statistics
from pdf_search.data.splits.split_notes import with_split_notes
from tests.data.conftest import trial


def several(folder: Path, text: str, *targets: str) -> tuple[Prepared, TrialConfig]:
    path = folder / "m.csv"
    path.write_text(text)
    data = {"name": "csv", "path": str(path), "targets": targets}
    prepared = prepare(DataConfig.model_validate(data), cache=folder / "cache")
    return load_prepared(prepared), trial(data=data)


def rows(scale: float) -> str:
    lines = [f"{'C' * i},{i / 4},{i * i * scale / 3:.5g}\n" for i in range(1, 13)]
    return "smiles,a,b\n" + "".join(lines)


def test_what_is_averaged(tmp_path: Path) -> None:
    data, config = several(tmp_path, rows(1), "a", "b")
    said = "MAE is the mean over 2 targets, each in its own unit and counted once: a, b"
    assert statistics(data)["notes"][-1] == said
    assert with_split_notes(data, config).notes[-1] == said
    labels = "smiles,a,b\n" + "".join(f"{'C' * i},{i % 2},{i // 2 % 2}\n" for i in range(1, 31))
    data, _ = several(tmp_path, labels, "a", "b")
    assert statistics(data)["notes"][-1] == (
        "ROC-AUC (%) is the mean over 2 targets, each counted once: a, b"
    )


def test_a_single_target_needs_no_word(freesolv: Prepared) -> None:
    assert statistics(freesolv)["notes"] == freesolv.notes
    assert with_split_notes(freesolv, trial()).notes == freesolv.notes


def test_a_target_ten_thousand_times_as_large_is_named(tmp_path: Path) -> None:
    data, config = several(tmp_path, rows(1e4), "a", "b")
    said = with_split_notes(data, config).notes[-1]
    assert said.startswith("targets of very different scales decide the metric: ")
    assert "(a) to " in said
    assert "(b); the loss too (training.standardise_targets: true" in said
    training = config.training.model_copy(update={"standardise_targets": True})
    alike = config.model_copy(update={"training": training})
    assert (
        with_split_notes(data, alike)
        .notes[-1]
        .endswith("the loss counts them alike, each standardised by its own mean and deviation")
    )


def test_unequal_labels_are_named_with_what_the_metric_makes_of_it(tmp_path: Path) -> None:
    text = "smiles,a,b\n" + "".join(f"{'C' * i},{int(i > 57)},{i % 2}\n" for i in range(1, 61))
    data, config = several(tmp_path, text, "a", "b")
    said = "labels are unequal: a 5.0% ones; ROC-AUC (%) does not depend on their share"
    assert said in with_split_notes(data, config).notes
    data, config = several(tmp_path, text, "b")
    assert not any("unequal" in note for note in with_split_notes(data, config).notes)


def test_unequal_classes_are_named_with_the_accuracy_of_the_largest(tmp_path: Path) -> None:
    for rare, said in ((9, True), (15, False)):
        kinds = ["x"] * rare + ["y"] * (60 - rare)
        text = "smiles,a\n" + "".join(f"{'C' * (i + 1)},{k}\n" for i, k in enumerate(kinds))
        (tmp_path / "m.csv").write_text(text)
        tree = {
            "name": "csv",
            "path": str(tmp_path / "m.csv"),
            "task": "multiclass",
            "targets": ["a"],
        }
        config = DataConfig.model_validate(tree)
        data = load_prepared(prepare(config, cache=tmp_path / "cache"))
        notes = with_split_notes(data, trial(data=tree)).notes
        wanted = "85% of the graphs are of class y, so a model that always says y has an accuracy"
        assert any(wanted in note for note in notes) == said
