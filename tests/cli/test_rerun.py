"""``rerun`` takes the number of a trial as ``show`` and ``predict`` do, or by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.errors import ConfigError
from pdf_search.records import Phase
from pdf_search.results import Store
from pdf_search.space import load_space
from tests.cli.conftest import Run
from tests.results.samples import trial
from tests.sweep.helpers import sweep_in


class AskedForError(ConfigError):
    """Says which trial was to be trained again, in place of training it."""


@pytest.fixture
def _recorded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rerun(name: str, number: int, phase: Phase, *_: object, **__: object) -> None:
        raise AskedForError(f"trained again: {name} {number} {phase}")

    monkeypatch.setattr("pdf_search.sweep.rerun", rerun)
    sweep_in(home / "runs" / "mol", load_space("freesolv"), "mol")
    recorded = [(0, Phase.SEARCH), (5, Phase.SEARCH), (0, Phase.CONFIRM), (1, Phase.CONFIRM)]
    with Store(str(home / "runs" / "mol" / "results.db")) as store:
        for number, phase in recorded:
            store.save_trial(trial(number, phase, sweep="mol"))


@pytest.mark.usefixtures("_recorded")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("--trial 5", "mol 5 search"),
        ("5", "mol 5 search"),
        ("0", "mol 0 search"),
        ("--trial 0 --phase confirm", "mol 0 confirm"),
        ("1 --phase confirm", "mol 1 confirm"),
    ],
)
def test_the_number_is_given_in_either_way(run: Run, words: str, wanted: str) -> None:
    said = run("rerun", "mol", *words.split(), code=2).stderr
    assert f"trained again: {wanted}" in said


@pytest.mark.usefixtures("_recorded")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("", "name a trial with --trial N (`pdf-search show mol` lists them)"),
        ("5 --trial 5", "trial 5 and --trial 5: give the number once"),
    ],
)
def test_it_is_given_once(run: Run, words: str, wanted: str) -> None:
    said = " ".join(run("rerun", "mol", *words.split(), code=2).stderr.split())
    assert wanted in said
    assert "trained again" not in said
