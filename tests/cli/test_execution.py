"""How a sweep's end becomes a report, a message and an exit code."""

from __future__ import annotations

import errno
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest
import typer

from pdf_search.cli.execution import execute
from pdf_search.errors import FullDiskError, StoreError
from pdf_search.records import Phase, State, TrialRecord
from pdf_search.space import load_space
from pdf_search.sweep import SweepFolder
from pdf_search.sweep.driver import SweepResult
from tests.cli.conftest import Run
from tests.sweep.helpers import sweep_in


def rows(phase: Phase, *states: State) -> list[TrialRecord]:
    return [TrialRecord("night", phase, n, {}, "", state) for n, state in enumerate(states)]


def exit_code(folder: Path, search: list[State], confirm: list[State]) -> int:
    plan = cast(Any, SimpleNamespace(name="night", folder=SweepFolder.of(folder, "night", None)))
    result = SweepResult(plan, "", rows(Phase.SEARCH, *search), rows(Phase.CONFIRM, *confirm), ())
    try:
        execute(SweepFolder.of(folder, "night", None), lambda: result)
    except typer.Exit as end:
        return end.exit_code
    return 0


@pytest.mark.parametrize(
    ("search", "confirm", "code"),
    [
        ([State.COMPLETE, State.FAILED, State.PRUNED], [State.COMPLETE, State.DIVERGED], 0),
        ([State.COMPLETE], [], 0),
        ([State.DIVERGED, State.DIVERGED], [], 1),
        ([State.FAILED, State.DIVERGED], [], 1),
        ([State.COMPLETE], [State.FAILED, State.FAILED], 1),
    ],
)
def test_a_phase_without_any_result_is_a_failure(
    tmp_path: Path,
    search: list[State],
    confirm: list[State],
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code(tmp_path, search, confirm) == code
    assert ("there is no result" in capsys.readouterr().err) == bool(code)


def test_without_a_database_no_report_is_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> NoReturn:
        raise StoreError("the file is something else")

    with pytest.raises(StoreError):
        execute(SweepFolder.of(tmp_path, "night", str(tmp_path / "x.db")), fail)
    assert capsys.readouterr().err == ""


def ended(folder: Path, result: SweepResult) -> int:
    with pytest.raises(typer.Exit) as end:
        execute(SweepFolder.of(folder, "night", None), lambda: result)
    return int(end.value.exit_code)


def test_where_all_diverged_what_to_change_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = cast(Any, SimpleNamespace(name="night", folder=SweepFolder.of(tmp_path, "night", None)))
    result = SweepResult(plan, "", rows(Phase.SEARCH, *[State.DIVERGED] * 3), [], ())
    assert ended(tmp_path, result) == 1
    said = capsys.readouterr().err
    assert "all 3 trials DIVERGED" in said
    assert "lower training.learning_rate" in said


def test_where_the_first_failed_alike_the_reason_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = SweepFolder.of(tmp_path, "night", None)
    plan = cast(Any, SimpleNamespace(name="night", trials=12, folder=folder))
    search = rows(Phase.SEARCH, *[State.FAILED] * 3)
    result = SweepResult(plan, "alike", search, [], (), reason="OSError: no library")
    assert ended(tmp_path, result) == 1
    said = capsys.readouterr().err
    assert "the first trials failed alike, 'OSError: no library', which is to be mended" in said
    assert "go on with: pdf-search resume night" in said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_after_a_signal_the_log_says_how_to_go_on_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, code: int
) -> None:
    folder = SweepFolder.of(tmp_path, "night", None)
    folder.path.mkdir()
    plan = cast(Any, SimpleNamespace(name="night", trials=12, folder=folder))
    search = rows(Phase.SEARCH, State.COMPLETE, State.INTERRUPTED)
    result = SweepResult(plan, "interrupted", search, [], (), number)
    assert ended(tmp_path, result) == code
    told = "interrupted with 1 of 12 search trials ended; go on with: pdf-search resume night"
    assert told in capsys.readouterr().err
    assert told in folder.log.read_text()


def test_an_interrupt_before_anything_is_recorded_names_no_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as end:
        execute(SweepFolder.of(tmp_path, "night", None), interrupt)
    assert end.value.exit_code == 130
    said = capsys.readouterr().err
    assert "before anything was recorded" in said
    assert "resume" not in said


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        FullDiskError("the disk of /trials is full (4,096 bytes are free)"),  # told by a worker
    ],
)
def test_a_full_disk_is_told_with_its_room_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail() -> NoReturn:
        raise error

    monkeypatch.setattr("pdf_search.full_disk.free_bytes", lambda _: 4_096)
    folder = SweepFolder.of(tmp_path, "night", None)
    with pytest.raises(FullDiskError, match=r"is full \(4,096 bytes are free\)") as caught:
        execute(folder, fail)
    assert str(caught.value).endswith("Make room, then go on with: the same command")
    sweep_in(folder.path, load_space("freesolv"), "night")
    with pytest.raises(FullDiskError, match=f"pdf-search resume night --out {tmp_path}"):
        execute(folder, fail)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "/arrays.npy"),
        RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 704 vs 598"),
    ],
)
def test_a_verb_tells_of_a_full_disk_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr("pdf_search.cli.verbs.recorded.list._rows", fail)
    said = run("list", code=1).stderr
    assert said.startswith("error: the disk of /")
    assert "bytes are free)" in said
