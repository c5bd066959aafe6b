"""The verb study: what it lists, refuses and says; a real study run, repeated and resumed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pdf_search.cli.study_report import StudyReport
from pdf_search.sweep import SweepFolder
from tests.cli.conftest import Run, run_here, start
from tests.patience import PATIENCE

OWN = """
title: Two widths
table: results
seeds: 2
rows:
  - name: narrow
    data: {name: freesolv, train_fraction: 0.2}
    basis: {eps: [-0.3], k: 2}
    model: {hidden: 4, layers: 1}
    training: {epochs: 40, batch_size: 32}
  - name: wide
    data: {name: freesolv, train_fraction: 0.2}
    basis: {eps: [-0.3], k: 2}
    model: {hidden: 8, layers: 1}
    training: {epochs: 40, batch_size: 32}
"""


def test_the_shipped_studies_are_listed(run: Run) -> None:
    shown = run("study").stdout
    assert "paper/ablation  Ablation on ZINC" in shown
    assert set(json.loads(run("study", "--json").stdout)) >= {"paper/tu", "paper/timing"}


def test_a_published_number_that_is_not_there_is_refused(run: Run, home: Path) -> None:
    wanted = "published: {table: ablation, method: idp-(Lap, Line)}"
    text = f"title: X\ntable: results\nrows:\n  - {{name: a, paper: zinc, {wanted}}}\n"
    (home / "x.yaml").write_text(text.replace("idp-(Lap, Line)", "'idp-(Lap, Line)'"))
    refused = run("study", "x.yaml", "--dry-run", code=2)
    assert "no published ablation number of 'idp-(Lap, Line)' on zinc (mae)" in refused.stderr
    assert "there is idp-(Lap, Lin)" in refused.stderr


def test_every_row_without_its_published_number_is_named(run: Run, home: Path) -> None:
    row = "  - {{name: {0}, paper: zinc, published: {{table: ablation, method: {1}}}}}\n"
    rows = [row.format("a", "wrong"), row.format("b", "'idp-(Lap, Lin)'"), row.format("c", "bad")]
    (home / "x.yaml").write_text("title: X\ntable: results\nrows:\n" + "".join(rows))
    lines = run("study", "x.yaml", "--dry-run", code=2).stderr.splitlines()
    assert [line.partition(": no published")[0] for line in lines] == [
        "error: x.yaml: row 'a'",
        "x.yaml: row 'c'",
    ]


def test_explain_of_a_study_names_its_parts(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdf_search.sweep.study_run._train", lambda *_: None)
    (home / "widths.yaml").write_text(OWN + "protocols: [split, inner]\n")
    run("study", "widths.yaml", "--epochs", 2)
    parts = "widths/freesolv/split, widths/freesolv/inner"
    for more in ([], ["--trial", 0]):
        refused = run("explain", "widths", *more, code=2).stderr
        assert f"widths is a study: name one of its parts ({parts}) and one of its runs" in refused
    one = run("explain", "widths/freesolv/split", "--trial", 0, "--phase", "confirm", code=2)
    assert "is NOT STARTED and has no checkpoint" in one.stderr


def test_explain_of_a_study_of_one_part(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdf_search.sweep.study_run._train", lambda *_: None)
    (home / "widths.yaml").write_text(OWN)
    run("study", "widths.yaml", "--epochs", 2)
    refused = run("explain", "widths", code=2).stderr
    assert "widths is a study: name one of its runs with --phase confirm --trial N" in refused
    one = run("explain", "widths", "--trial", 0, "--phase", "confirm", code=2).stderr
    assert "is NOT STARTED and has no checkpoint" in one


def test_a_study_with_nothing_left_to_train_writes_its_tables_once(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr("pdf_search.sweep.study_run._train", lambda *_: None)
    monkeypatch.setattr("reports.write_study", lambda *given: written.append(given[1]))
    (home / "widths.yaml").write_text(OWN)
    run("study", "widths.yaml", "--epochs", 2)
    assert len(written) == 2  # before the first run and at the end
    monkeypatch.setattr("pdf_search.sweep.study_run.open_jobs", lambda *_: [])
    run("study", "widths.yaml", "--epochs", 2)
    assert len(written) == 3


def test_a_dry_run_says_what_would_run(run: Run, home: Path) -> None:
    (home / "widths.yaml").write_text(OWN)
    words = ["study", "widths.yaml", "--epochs", "3", "--only", "WIDE", "--dry-run"]
    shown = run(*words).stdout
    assert f"widths in {home / 'runs' / 'widths'}: Two widths" in shown
    assert "1: FreeSolv, split, 2 seeds, 3 epochs" in shown
    assert "1: FreeSolv" in json.loads(run(*words, "--json").stdout)["runs"]
    assert not (home / "runs").exists()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["paper/zink"], "no study 'paper/zink'; did you mean paper/zinc?"),
        (["paper/zinc", "--only", "GCN"], "--only GCN: no such row or data set; there is: PDF"),
        (["paper/zinc", "--set", "model.hiden=3"], "unknown path; did you mean hidden?"),
        (["paper/zinc", "--device", "tpu"], "--device tpu: give auto, cpu or cuda"),
        (["paper/zinc", "--device", "cpu", "--gpus-per-trial", "1"], "give one of the two"),
        (["paper/zinc", "--seeds", "0"], "--seeds"),
        (["paper/zinc", "--seeds", "1000000000"], "--seeds"),
        (["paper/zinc", "--json"], "--json goes with --dry-run"),
        (["missing.yaml"], "missing.yaml: no such file; shipped studies: "),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(
    run: Run, home: Path, words: list[str], error: str
) -> None:
    assert error in run("study", *words, code=2).stderr
    assert not (home / "runs").exists()


def test_a_table_that_cannot_be_written_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("reports.write_study", fail)
    report = StudyReport(SweepFolder.of(tmp_path, "mine", None))
    for _ in range(3):
        report(None)  # type: ignore[arg-type]
    assert capsys.readouterr().err.count("OSError: disk full") == 1


def test_the_table_takes_at_most_a_tenth_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, begun = 0.0, []

    def write(*_: object) -> None:
        nonlocal clock
        begun.append(clock)
        clock += 2.0

    monkeypatch.setattr("pdf_search.cli.study_report.time.monotonic", lambda: clock)
    monkeypatch.setattr("reports.write_study", write)
    report = StudyReport(SweepFolder.of(tmp_path, "mine", None))
    for _ in range(100):  # runs that take a second each
        report(None)  # type: ignore[arg-type]
        clock += 1.0
    assert begun == [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]


@pytest.mark.ray
def test_a_study_of_ones_own_is_run_repeated_and_resumed(home: Path, cache: Path) -> None:
    (home / "widths.yaml").write_text(OWN)
    words = ["study", "widths.yaml", "--epochs", "2", "--device", "cpu"]
    process = start(home, cache, *words, "--time", "1s")  # nothing can have run by then
    output, messages = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, messages
    again = f"pdf-search resume widths --out {home / 'runs'}"
    assert "is not finished: stopped by --time with 0 of 2 runs COMPLETE" in messages
    assert f"go on with: {again}" in messages or "go on with: pdf-search resume widths" in messages
    assert "narrow" in output

    process = start(home, cache, *words)
    output, messages = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, messages
    assert "FreeSolv, split, wide: COMPLETE, test RMSE" in messages
    assert "[2/2 runs, 0 running" in messages
    assert "Traceback" not in messages
    assert "narrow" in output
    assert "warning" not in messages

    shutil.rmtree(home / "runs" / "widths" / "report")
    assert "narrow" in run_here("resume", "widths").stdout
    assert (home / "runs" / "widths" / "report" / "table.md").is_file()
    assert "widths" in run_here("list").stdout
    assert "study: narrow" in run_here("show", "widths").stdout
    assert "whose runs are fixed" in run_here("resume", "widths", "--trials", "4", code=2).stderr
    assert "whose runs are fixed" in run_here("confirm", "widths", code=2).stderr
    refused = run_here("study", "widths.yaml", "--epochs", "3", code=2).stderr
    assert "began with other settings (epochs: 2 there, 3 now)" in refused


def test_a_study_of_an_older_version_goes_on(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdf_search.sweep.study_run._train", lambda *_: None)
    (home / "widths.yaml").write_text(OWN)
    first = ["--set", "data.featuriser=1", "--set", "data.split_version=1"]
    run("study", "widths.yaml", "--epochs", 2, *first)
    again = run("study", "widths.yaml", "--epochs", 2)
    note = "the study goes on with data.featuriser 1 and data.split_version 1, as it began"
    assert note in again.stderr
    named = run("study", "widths.yaml", "--epochs", 2, "--set", "data.featuriser=2", code=2)
    assert "data.featuriser: 1 there, 2 now" in named.stderr
    assert "data.split_version" not in named.stderr.partition("error:")[2]
