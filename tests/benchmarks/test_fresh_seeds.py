"""What a pick is worth on fresh seeds: the best epoch of each replicate, and that epoch's test."""

from __future__ import annotations

from pathlib import Path

import pytest
from common import cell
from real_runs.fresh_seeds import Job, best_epochs, train
from zinc_full import curve_rows, final_row

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import prepare
from pdf_search.records import METRICS, EpochReport, Replicate, ReplicateEpoch
from pdf_search.space import paper_trial

REPLICATES = (Replicate(7, 0), Replicate(7, 1))
VALID = ((3.0, 5.0), (1.0, 6.0), (2.0, 4.0))
REPORTS = [
    EpochReport(
        epoch, 1e-3, tuple(ReplicateEpoch(0.0, v, 10 * v + i) for i, v in enumerate(values)), 4.0, 1
    )
    for epoch, values in enumerate(VALID, 1)
]


@pytest.mark.parametrize(
    ("mode", "valid", "test"), [("min", [1, 4], [10, 41]), ("max", [3, 6], [30, 61])]
)
def test_each_replicate_has_its_own_best_epoch(
    mode: str, valid: list[float], test: list[float]
) -> None:
    found = best_epochs(REPORTS, REPLICATES, METRICS["mae" if mode == "min" else "accuracy"])
    assert found.to_dict("list") == {"seed": [7, 7], "fold": [0, 1], "valid": valid, "test": test}


def zinc(**changes: object) -> TrialConfig:
    return parse_trial(dict(paper_trial("zinc")) | {"phase": "confirm"} | changes)


def test_the_last_row_of_zinc_has_means_over_seeds_with_the_spread_of_all() -> None:
    row = final_row(REPORTS, zinc(seeds=[0, 1]), 60.0)
    assert (row["valid"], row["test"]) == ("2.5000 ± 1.5000", "25.5000 ± 15.5000")
    assert (row["seeds"], row["epoch_s_per_seed"]) == (2, 2.0)
    assert str(row["epochs"]).startswith("3 of ")
    assert all(cell(value) for value in row.values())
    rows = curve_rows(REPORTS)
    assert [(r["epoch"], r["seed"], r["valid"]) for r in rows[:3]] == [
        (1, 0, 3.0),
        (1, 1, 5.0),
        (2, 0, 1.0),
    ]


def test_a_seed_that_diverged_is_not_left_out_in_silence() -> None:
    bad = EpochReport(4, 1e-3, (ReplicateEpoch(0.0, float("nan"), 1.0),) * 2, 4.0, 1)
    assert final_row([bad], zinc(seeds=[0, 1]), 60.0)["valid"] == "nan ± nan"
    late = final_row([*REPORTS, bad], zinc(seeds=[0, 1]), 60.0)
    assert late["valid"] == "2.5000 ± 1.5000"  # such an epoch is never the best


def test_a_configuration_is_trained_on_every_fold_of_its_fresh_seeds(
    excerpts: Path, tmp_path: Path
) -> None:
    tree = dict(paper_trial("mutag")) | {"protocol": "inner", "folds": 3, "stop_epoch": 2}
    tree["model"] = {**tree["model"], "hidden": 4, "layers": 1}
    config = parse_trial(tree)
    folder = prepare(config.data, excerpts, tmp_path)
    frame = train(Job(config.model_dump(mode="json"), folder, (9001, 9002)))
    assert sorted(zip(frame["seed"], frame["fold"], strict=True)) == [
        (seed, fold) for seed in (9001, 9002) for fold in range(3)
    ]
    for part in ("valid", "test"):
        assert frame[part].between(0, 1).all()
