"""Where a recorded sweep lies: by name or path, renamed or moved, and its checkpoints in it."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pdf_search.errors import ConfigError, StoreError
from pdf_search.records import Phase
from pdf_search.results.store import Store
from pdf_search.runs import find_folder
from pdf_search.space import Space
from pdf_search.sweep import SweepOptions, plan_sweep, run_sweep
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.trial_log import TrialLog
from tests.sweep.helpers import (
    NAME,
    PARTS,
    SHAPE,
    Bench,
    SilentView,
    report,
    study_in,
    sweep_in,
    sweep_record,
)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of runs, absolute as the program sees it."""
    folder = tmp_path.resolve() / "runs"
    folder.mkdir()
    return folder


def test_a_renamed_folder_keeps_its_recorded_name(runs: Path, space: Space) -> None:
    sweep_in(runs / NAME, space)
    assert SweepFolder.find(runs, NAME, None) == SweepFolder.of(runs, NAME, None)
    (runs / NAME).rename(runs / "other")
    found = SweepFolder.find(runs, "other", None)
    assert (found.path, found.name, found.called) == (runs / "other", NAME, "other")
    assert found.out == runs
    with found.open_store() as store:
        assert store.sweep(found.name).name == NAME
    words = ["pdf-search", "resume", "other", "--out", str(runs)]
    assert shlex.split(found.how_to_resume) == words
    with pytest.raises(StoreError, match="no sweep in"):
        SweepFolder.find(runs, NAME, None).open_store()


@pytest.mark.parametrize("way", ["absolute", "relative", "dotted", "here"])
def test_a_path_is_as_good_as_a_name(
    runs: Path, space: Space, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = runs.parent / "else where" / "m"
    sweep_in(folder, space)
    monkeypatch.chdir(folder if way == "here" else folder.parents[1])
    given = {
        "absolute": str(folder),
        "relative": "else where/m",
        "dotted": "./else where/../else where/m",
        "here": ".",
    }[way]
    found = SweepFolder.find(runs, given, None)
    assert (found.path, found.name, found.called, found.part) == (folder, NAME, "m", "")
    assert found.out == folder.parent
    assert find_folder(runs, given) == folder
    again = shlex.split(found.how_to_resume)
    assert SweepFolder.find(Path(again[4]), again[2], None) == found


def test_a_name_below_out_comes_before_a_path(
    runs: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep_in(runs / "m", space)
    sweep_in(runs.parent / "m", space)
    monkeypatch.chdir(runs.parent)
    assert SweepFolder.find(runs, "m", None).path == runs / "m"
    assert SweepFolder.find(runs, "./m", None).path == runs.parent / "m"
    assert find_folder(runs, "m") == runs / "m"
    assert find_folder(runs, "./m") == runs.parent / "m"
    assert find_folder(runs, "absent") == runs / "absent"


def test_a_name_inside_a_sweeps_folder_is_not_that_sweep(
    runs: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep_in(runs / "m", space)
    monkeypatch.chdir(runs / "m")
    assert SweepFolder.find(runs, "absent", None) == SweepFolder.of(runs, "absent", None)


@pytest.mark.parametrize("moved", ["paper/abl", "mine", "two/words"])
def test_parts_of_a_study_move_with_it(runs: Path, space: Space, moved: str) -> None:
    study_in(runs / "paper" / "abl", space)
    shutil.copytree(runs / "paper", runs / "kept")
    if moved != "paper/abl":
        (runs / moved).parent.mkdir(exist_ok=True)
        (runs / "paper" / "abl").rename(runs / moved)
    whole = SweepFolder.find(runs, moved, None)
    assert (whole.name, whole.out) == ("paper/abl", runs)
    assert [whole.called_now(part) for part in PARTS] == [
        f"{moved}/zinc/split",
        f"{moved}/zinc/inner",
    ]
    for given in (f"{moved}/zinc/inner", str(runs / moved / "zinc" / "inner")):
        part = SweepFolder.find(runs, given, None)
        assert (part.path, part.name, part.part) == (runs / moved, PARTS[1], "zinc/inner")
        assert part.called_now(PARTS[0]) == part.called.replace("inner", "split")


def test_among_several_sweeps_none_is_guessed(runs: Path, space: Space) -> None:
    sweep_in(runs / "m", space, "one")
    with Store(f"sqlite:///{runs / 'm' / 'results.db'}") as store:
        store.create_sweep(replace(sweep_record(space, "tpe", 2), name="two"))
    found = SweepFolder.find(runs, "m", None)
    assert found.name == "m"
    with found.open_store() as store, pytest.raises(StoreError, match="no sweep named 'm'"):
        store.sweep(found.name)


def test_places_of_checkpoints(runs: Path) -> None:
    folder = SweepFolder.of(runs, "m", None)
    inside = f"{folder.path}/trials/confirm/0000-ab12cd/checkpoint_000001"
    assert folder.stored(inside) == "trials/confirm/0000-ab12cd/checkpoint_000001"
    assert folder.checkpoint(folder.stored(inside)) == inside
    beside = f"{folder.path}-2/trials/confirm/0000-ab12cd/checkpoint_000001"
    for elsewhere in (beside, "/scratch/m/confirm/0000/checkpoint_0", "s3://bucket/m/confirm", ""):
        assert folder.stored(elsewhere) == elsewhere
        assert folder.checkpoint(elsewhere) == elsewhere
    shared = SweepFolder.of(runs, "m", "postgresql://host/results")
    assert shared.stored(inside) == inside  # its database is not in the folder


def test_an_absolute_place_of_an_older_version_is_looked_for_in_the_folder(runs: Path) -> None:
    old = f"{runs}/old/trials/confirm/0000-ab12cd/checkpoint_000001"
    folder = SweepFolder.of(runs, "moved", None)
    assert folder.checkpoint(old) == old
    own = folder.path / "trials" / "confirm" / "0000-ab12cd" / "checkpoint_000001"
    own.mkdir(parents=True)
    assert folder.checkpoint(old) == str(own)
    Path(old).mkdir(parents=True)  # a copy uses its own
    assert folder.checkpoint(old) == str(own)


def test_a_ledger_records_relative_places_and_works_with_absolute_ones(
    tmp_path: Path, space: Space
) -> None:
    bench = Bench(tmp_path / NAME, space)
    folder = SweepFolder.of(tmp_path, NAME, None)
    discarded: list[str] = []

    def trial_log(at: SweepFolder) -> TrialLog:
        return TrialLog(
            bench.store, NAME, Phase.SEARCH, SHAPE, SilentView(), discarded.append, None, at
        )

    first = trial_log(folder)
    first.planned(Job(Phase.SEARCH, 0, bench.builder.search(dict(space.points_to_evaluate[0]))))
    first.started(0)
    first.epoch(0, report(1, 2.0), "cpu")
    inside = "trials/search/0000-aa/checkpoint_000000"
    first.checkpoint(0, f"{folder.path}/{inside}")
    (stored,) = bench.store.trials(NAME, Phase.SEARCH)
    assert stored.checkpoint == inside
    moved = SweepFolder(tmp_path.resolve() / "moved", label="moved", recorded=NAME)
    again = trial_log(moved)
    assert again.records[0].checkpoint == f"{moved.path}/{inside}"
    again.checkpoint(0, f"{moved.path}/trials/search/0000-bb/checkpoint_000000")
    assert discarded == []  # the one before the last stays
    again.checkpoint(0, f"{moved.path}/trials/search/0000-cc/checkpoint_000000")
    assert discarded == [f"{moved.path}/trials/search/0000-aa"]
    again.interrupted()
    (stored,) = bench.store.trials(NAME, Phase.SEARCH)
    assert stored.checkpoint == "trials/search/0000-cc/checkpoint_000000"
    assert "`pdf-search resume moved` continues" in stored.message


def test_a_folder_that_holds_another_sweep_is_not_written_into(
    runs: Path, space: Space, cache: Path
) -> None:
    sweep_in(runs / "m", space)
    options = SweepOptions(name="m", out=runs, cache=cache, gpus_per_trial=0.0, trials=2)
    with pytest.raises(ConfigError, match=f"sweep {NAME} exists in .*resume m`, or choose another"):
        run_sweep(plan_sweep(space, options))


def test_an_error_of_the_database_says_how_to_go_on(tmp_path: Path) -> None:
    folder = SweepFolder.of(tmp_path, "night", "postgresql://ann:secret@host/results")
    with pytest.raises(StoreError) as raised, folder.resumable():
        raise StoreError("results database host: the server closed the connection")
    assert "closed the connection. Then go on with: pdf-search resume night" in str(raised.value)
    assert "secret" not in str(raised.value)
    full = StoreError("results database host: No space left on device; the disk is full")
    with pytest.raises(StoreError) as raised, folder.resumable():
        raise full
    assert raised.value is full  # it is told with its room
