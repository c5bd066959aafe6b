"""A sweep goes on with the data that it began with, wherever its file is by now."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from pdf_search.data import recorded_data
from pdf_search.errors import DataError
from pdf_search.space import load_space, load_study
from pdf_search.sweep import (
    Plan,
    SweepFolder,
    SweepOptions,
    plan_study,
    plan_sweep,
    resume,
    run_sweep,
)
from pdf_search.sweep.api import new_sweep_record, recorded_plan
from tests.inference.old import copy_old_run

CSV = "smiles,logS\n" + "".join(
    f"{'C' * (i % 9 + 1)}{'O' * (i % 4 + 1)},{0.1 * i - 1:.2f}\n" for i in range(36)
)

STUDY = """
title: My table
table: ablation
seeds: 1
epochs: 2
rows:
  - name: narrow
    data: {name: csv, path: own.csv, targets: [logS], metric: rmse}
    basis: {eps: [-0.3], k: 1}
    model: {hidden: 8, layers: 1}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text(CSV)
    return tmp_path.resolve()


@pytest.fixture
def plan(home: Path) -> Plan:
    """A recorded sweep, none of whose trials has begun."""
    sets = ["data.name=csv", f"data.path={home / 'own.csv'}", "data.targets=[logS]"]
    options = SweepOptions(
        name="s", out=home / "runs", cache=home / "cache", trials=2, epochs=4, gpus_per_trial=0.0
    )
    plan = plan_sweep(load_space("freesolv", sets), options)
    with plan.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(plan, "command"))
    return plan


def again(plan: Plan, told: list[str] | None = None, **changes: object) -> Plan:
    folder = SweepFolder.find(plan.folder.out, plan.folder.called, None)
    progress = None if told is None else told.append
    with folder.open_store() as store:
        return recorded_plan(store, folder, plan.folder.out, progress, **changes)


@pytest.mark.parametrize("file", ["gone", "longer", "other"])
def test_it_goes_on_with_the_prepared_data(plan: Plan, home: Path, file: str) -> None:
    own = home / "own.csv"
    if file == "gone":
        own.unlink()
    else:
        own.write_text(CSV + "CCN,0.5\n" if file == "longer" else "a,b\n1,2\n")
    found = again(plan)
    assert found.data.folder == plan.data.folder
    assert (found.data.fingerprint, found.split_hash) == (plan.data.fingerprint, plan.split_hash)
    assert (found.info, found.metric, found.folder) == (plan.info, plan.metric, plan.folder)


def test_without_them_the_same_file_is_prepared_again(plan: Plan, home: Path) -> None:
    shutil.rmtree(home / "cache")
    told: list[str] = []
    found = again(plan, told)
    assert found.data.fingerprint == plan.data.fingerprint
    assert f"the prepared data of s are gone from {plan.data.folder}" in told[0]


@pytest.mark.parametrize("gone", [False, True])
def test_its_metric_stays_where_the_default_was_another(home: Path, gone: bool) -> None:
    """A space of MAE that names it only as a whole is what was recorded as MAE was the default."""
    sets = ["data.name=csv", "data.path=own.csv", "data.targets=[logS]", "metric=mae"]
    options = SweepOptions(name="s", out=home / "runs", cache=home / "cache", gpus_per_trial=0.0)
    plan = plan_sweep(load_space("freesolv", sets), options)
    assert plan.space.definition["data"].get("metric") is None
    with plan.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(plan, "command"))
    if gone:
        shutil.rmtree(home / "cache")
    found = again(plan)
    assert (found.metric.name, found.data.info.metric) == ("mae", "mae")
    assert found.first.data.metric is None


def test_without_them_another_file_is_refused(plan: Plan, home: Path) -> None:
    shutil.rmtree(home / "cache")
    (home / "own.csv").write_text(CSV + "CCN,0.5\n")
    with pytest.raises(DataError, match=r"not what the sweep began with.*Restore the file .*own"):
        again(plan)
    (home / "own.csv").unlink()
    with pytest.raises(DataError, match=r"no file .*own\.csv"):
        again(plan)


def test_damaged_ones_are_not_used(plan: Plan, home: Path) -> None:
    content = bytearray((plan.data.folder / "targets.npy").read_bytes())
    content[-1] ^= 1
    (plan.data.folder / "targets.npy").write_bytes(content)
    (home / "own.csv").write_text(CSV + "CCN,0.5\n")
    with pytest.raises(DataError, match="is not what the sweep began with"):
        again(plan)


def test_a_cache_that_was_moved_is_found(plan: Plan, home: Path) -> None:
    (home / "cache").rename(home / "elsewhere")
    (home / "own.csv").unlink()
    found = again(plan, cache=home / "elsewhere")
    assert found.data.folder == home / "elsewhere" / "prepared" / plan.data.folder.name
    assert recorded_data("", plan.data.fingerprint, home / "elsewhere") is not None
    assert recorded_data("", "another", home / "elsewhere") is None


def test_a_renamed_sweep_goes_on_in_its_new_folder(plan: Plan, home: Path) -> None:
    plan.folder.path.rename(home / "runs" / "renamed")
    folder = SweepFolder.find(home / "runs", "renamed", None)
    with folder.open_store() as store:
        found = recorded_plan(store, folder, home / "runs", None)
    assert (found.name, found.folder) == ("s", folder)
    assert found.folder.storage(None) == str(home / "runs" / "renamed" / "trials")


def test_a_study_goes_on_with_them_in_a_renamed_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "mine.yaml").write_text(STUDY)
    options = SweepOptions(out=home / "runs", cache=home / "cache", gpus_per_trial=0.0)
    plan = plan_study(load_study(str(home / "mine.yaml")), options)
    monkeypatch.setattr("pdf_search.sweep.study_run._train", lambda *_: None)
    run_sweep(plan, Console(quiet=True))
    plan.folder.path.rename(home / "runs" / "other")
    (home / "own.csv").unlink()
    result = resume("other", home / "runs", cache=home / "cache", console=Console(quiet=True))
    assert result.plan.name == "mine"
    assert result.plan.folder.path == home / "runs" / "other"
    assert result.plan.parts[0].data.folder == plan.parts[0].data.folder
    assert [trial.number for trial in result.confirm] == [0]


def test_a_sweep_of_an_older_version_goes_on_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = copy_old_run(tmp_path)
    monkeypatch.chdir(home)
    (home / "runs" / "s").rename(home / "runs" / "t")
    folder = SweepFolder.find(home / "runs", "t", None)
    with folder.open_store() as store:
        record = store.sweep(folder.name)
        assert "prepared" not in record.options
        plan = recorded_plan(store, folder, home / "runs", None, cache=home / "cache")
        places = [folder.checkpoint(trial.checkpoint) for trial in store.trials(folder.name)]
    assert plan.data.fingerprint == record.fingerprint
    assert plan.split_hash == record.split_hash
    assert plan.first.data.featuriser == plan.first.data.split_version == 1
    kept = [Path(place) for place in places if place]
    assert len(kept) == 3
    assert all((place / "checkpoint.pt").is_file() for place in kept)
    assert all(place.is_relative_to(home.resolve()) for place in kept)
    assert json.loads((kept[0] / "epoch.json").read_text()) == {"epoch": 2}
