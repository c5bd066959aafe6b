"""``delete`` removes what pdf-search wrote, and nothing else."""

from __future__ import annotations

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import optuna
import pytest

from pdf_search.records import METRICS, Phase
from pdf_search.results import Store
from pdf_search.runs import Contents, locked
from pdf_search.space import load_space
from pdf_search.sweep.samplers.optuna_storage import open_study, opened_storage
from tests.cli.conftest import Run
from tests.results.samples import trial
from tests.sweep.helpers import study_in, sweep_in, sweep_record


@pytest.fixture
def runs(home: Path) -> Path:
    """A sweep with all its files, another, a study, and a run of train."""
    space = load_space("freesolv")
    out = home / "runs"
    for name in ("night", "day"):
        sweep_in(out / name, space, name)
    study_in(out / "paper" / "abl", space)
    files = "trials/search/0000-a/checkpoint_1/checkpoint.pt report/table.md sweep.log space.yaml"
    for file in (*files.split(), "explain/a.html", "tensorboard/a", ".lock", ".space.yaml.7.ab12"):
        write(out / "night" / file)
    for file in ("config.yaml", "curve.csv", "checkpoint.pt", "graphs.npz", "explain/a.png"):
        write(out / "one" / file)
    return out


def write(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("text")


def test_a_sweep_and_a_run_are_removed_and_the_others_stay(run: Run, runs: Path) -> None:
    done = run("delete", "night", "./runs/one", "--yes")
    assert done.stdout.split("\n")[:2] == ["deleted night", "deleted ./runs/one"]
    assert sorted(path.name for path in runs.iterdir()) == ["day", "paper"]
    assert "no sweep in" in run("show", "night", code=1).stderr


def test_trials_and_reruns_are_counted_apart(run: Run, runs: Path) -> None:
    with Store(str(runs / "night" / "results.db")) as store:
        for number, origin in enumerate(("sampled", "sampled", "rerun of 1")):
            store.save_trial(replace(trial(number), sweep="night", origin=origin))
        asked = run("delete", "night", code=2).stderr
        for number, origin in enumerate(("confirm of 1", "baseline", "rerun of 0")):
            store.save_trial(replace(trial(number, Phase.CONFIRM), sweep="night", origin=origin))
    assert "night: a sweep of 2 trials and 1 rerun, " in asked
    told = run("delete", "night", "--yes").stderr
    assert "night: a sweep of 2 trials, 1 confirmation and 2 reruns, " in told
    assert "day: a sweep of 0 trials, " in run("delete", "day", "--yes").stderr


def test_a_wrong_name_keeps_all_and_a_renamed_sweep_is_called_as_it_is_now(
    run: Run, runs: Path
) -> None:
    (runs / "night").rename(runs / "copy")
    told = " ".join(run("delete", "nosuch", "copy", "--yes", code=1).stderr.split())
    assert "check the name and --out" in told
    assert (runs / "copy" / "results.db").is_file()
    first, second, *_ = run("delete", "copy", "--yes").stderr.splitlines()
    assert first == "copy (recorded as night)"
    assert second.startswith("copy: a sweep of 0 trials, ")


def test_a_whole_study_is_removed_but_no_part(run: Run, runs: Path) -> None:
    part = run("delete", "paper/abl/zinc/split", "--yes", code=2).stderr
    assert "is a part of the study paper/abl: delete the whole study" in " ".join(part.split())
    run("delete", "paper/abl", "--yes")
    assert sorted(path.name for path in runs.iterdir()) == ["day", "night", "one"]


@pytest.mark.parametrize(
    ("name", "words"), [("alone", ["--out", "solo"]), ("./solo/alone", []), ("solo/alone", [])]
)
def test_the_folder_that_a_sweep_was_put_into_stays(
    run: Run, home: Path, name: str, words: list[str]
) -> None:
    sweep_in(home / "solo" / "alone", load_space("freesolv"), "alone")
    run("delete", name, *words, "--yes")
    assert list((home / "solo").iterdir()) == []


@pytest.mark.parametrize("words", [["paper/abl"], ["abl", "--out", "runs/paper"]])
def test_of_a_study_of_two_words_both_folders_go_unless_one_is_that_of_out(
    run: Run, home: Path, words: list[str]
) -> None:
    study_in(home / "runs" / "paper" / "abl", load_space("freesolv"))
    run("delete", *words, "--yes")
    assert not (home / "runs" / "paper" / "abl").exists()
    assert (home / "runs" / "paper").exists() == ("--out" in words)
    assert (home / "runs").is_dir()


def test_what_cannot_be_removed_is_named_and_the_others_go(
    run: Run, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = Path.rmdir

    def busy(path: Path) -> None:
        if path.name == "night":
            raise OSError(errno.EBUSY, "Device or resource busy", str(path))
        removed(path)

    monkeypatch.setattr(Path, "rmdir", busy)
    with locked(runs / "day"):
        done = run("delete", "night", "day", "one", "--yes", code=1)
    said = " ".join(done.stderr.split())
    assert done.stdout == "deleted one\n"
    assert f"night is not deleted: all that was in {runs / 'night'} is removed" in said
    assert "(Device or resource busy): remove it by hand" in said
    assert "day is not deleted: another process runs the sweep" in said
    assert list((runs / "night").iterdir()) == []


def test_files_of_others_stay_and_are_named(run: Run, runs: Path) -> None:
    write(runs / "night" / "notes.txt")
    write(runs / "night" / "reports" / "mine.md")
    assert (
        "kept, as pdf-search did not write it: notes.txt, reports"
        in run("delete", "night", "--yes").stderr
    )
    assert sorted(path.name for path in (runs / "night").iterdir()) == ["notes.txt", "reports"]


def test_a_link_is_removed_and_what_it_shows_stays(run: Run, runs: Path, home: Path) -> None:
    write(home / "elsewhere" / "checkpoint.pt")
    shutil.rmtree(runs / "night" / "trials")
    (runs / "night" / "trials").symlink_to(home / "elsewhere")
    run("delete", "night", "--yes")
    assert not (runs / "night").exists()
    assert (home / "elsewhere" / "checkpoint.pt").is_file()


def test_nothing_goes_without_an_answer(run: Run, runs: Path) -> None:
    before = sorted(runs.rglob("*"))
    assert "give --yes" in run("delete", "night", code=2).stderr
    assert sorted(runs.rglob("*")) == before


@pytest.mark.parametrize(("answer", "left"), [("y", False), ("n", True), ("", True)])
def test_the_answer_counts(
    runs: Path, run: Run, monkeypatch: pytest.MonkeyPatch, answer: str, left: bool
) -> None:
    monkeypatch.setattr("typer.confirm", lambda *_, **__: answer == "y")
    monkeypatch.setattr("pdf_search.cli.asking.sys", type("Sys", (), {"stdin": Terminal}))
    run("delete", "night")
    assert (runs / "night").exists() == left


class Terminal:
    @staticmethod
    def isatty() -> bool:
        return True


def test_one_unknown_name_removes_nothing(run: Run, runs: Path) -> None:
    assert "no sweep in" in run("delete", "night", "nigth", "--yes", code=1).stderr
    assert (runs / "night" / "results.db").is_file()


def test_a_sweep_that_runs_is_left_alone(run: Run, runs: Path) -> None:
    with locked(runs / "night"):
        assert "another process runs the sweep" in run("delete", "night", "--yes", code=2).stderr
    assert (runs / "night" / "report").is_dir()


def test_what_names_the_folder_goes_last(runs: Path) -> None:
    names = [path.name for path in Contents.of(runs / "night").own]
    assert names.index("results.db") == len(names) - 1
    names = [path.name for path in Contents.of(runs / "one").own]
    assert names.index("config.yaml") == len(names) - 1


def test_of_a_shared_database_only_its_rows_go(run: Run, runs: Path, home: Path) -> None:
    database, space = str(home / "all.db"), load_space("freesolv")
    stored = home / "storage" / "night"
    write(stored / "search" / "0000-a" / "checkpoint_1" / "checkpoint.pt")
    write(home / "storage" / "day" / "search" / "0000-a" / "checkpoint_1" / "checkpoint.pt")
    with Store(database) as store:
        for name in ("night", "day"):
            options = {"storage": "storage"}
            record = replace(sweep_record(space, "tpe", 2), name=name, options=options)
            store.create_sweep(record)
            at = home / "storage" / name / "search" / "0000-a" / "checkpoint_1"
            store.save_trial(trial(sweep=name, checkpoint=str(at)))
            with opened_storage(database) as storage:
                open_study(storage, name, METRICS["rmse"])
    said = run("delete", "night", "--db", database, "--yes").stderr
    assert f"and its checkpoints in {stored}" in said
    assert "holds a sweep with a database of its own: it stays" in said
    with Store(database, create=False) as store:
        assert [sweep.name for sweep in store.sweeps()] == ["day"]
        assert len(store.trials("day", Phase.SEARCH)) == 1
    assert optuna.get_all_study_names(f"sqlite:///{database}") == ["day"]
    assert [path.name for path in (home / "storage").iterdir()] == ["day"]
    assert (runs / "night" / "results.db").is_file()  # of another sweep
    assert "no sweep named 'night'" in run("delete", "night", "--db", database, code=1).stderr


def test_what_cannot_be_removed_is_an_error(
    run: Run, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("shutil.rmtree", refuse)
    said = " ".join(run("delete", "night", "--yes", code=1).stderr.split())
    assert "trials cannot be removed (Permission denied)" in said
    assert (runs / "night" / "results.db").is_file()
