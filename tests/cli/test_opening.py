"""A verb that goes on with a recorded sweep says at once what it will do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pdf_search.errors import ConfigError
from pdf_search.records import Phase, Protocol, State
from pdf_search.results import Store
from pdf_search.space import load_space
from tests.cli.conftest import Run, refused_with
from tests.results.samples import trial
from tests.sweep.helpers import sweep_in, sweep_record

SETTLED = {"top_k": 2, "seeds": 3, "confirm_epochs": 1200}


class StoppedError(ConfigError):
    """In place of training."""


@pytest.fixture
def recorded(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sweep of five trials: three are done, one of them is confirmed and one is a rerun too."""

    def stopped(*_: object, **__: object) -> None:
        raise StoppedError("stopped here")

    for verb in ("resume", "confirm", "rerun"):
        monkeypatch.setattr(f"pdf_search.sweep.{verb}", stopped)
    monkeypatch.setattr("pdf_search.cli.execution.resume", stopped)
    space, folder = load_space("freesolv"), home / "runs" / "z0"
    folder.mkdir(parents=True)
    with Store(str(folder / "results.db")) as store:
        store.create_sweep(replace(sweep_record(space, "tpe", 5), name="z0", options=SETTLED))
        for number, origin, phase, state in (
            (0, "sampled", Phase.SEARCH, State.COMPLETE),
            (1, "sampled", Phase.SEARCH, State.PRUNED),
            (2, "sampled", Phase.SEARCH, State.FAILED),
            (3, "sampled", Phase.SEARCH, State.PAUSED),
            (4, "rerun of 0", Phase.SEARCH, State.COMPLETE),
            (0, "confirm of 0", Phase.CONFIRM, State.COMPLETE),
            (1, "confirm of 2", Phase.CONFIRM, State.INTERRUPTED),
            (2, "baseline", Phase.CONFIRM, State.COMPLETE),
        ):
            made = trial(number, phase, state=state, origin=origin)
            store.save_trial(replace(made, sweep="z0"))
    return folder


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("resume z0", "resume z0: 3 of 5 trials and 1 of 2 confirmations are done"),
        ("resume z0 --trials 8", "resume z0: 3 of 8 trials and 1 of 2 confirmations are done"),
        ("confirm z0", "confirm z0: the best 2 on 3 fresh seeds, 1,200 epochs"),
        (
            "confirm z0 --top-k 1 --seeds 1 --confirm-epochs 2",
            "confirm z0: the best 1 on 1 fresh seed, 2 epochs",
        ),
        ("rerun z0 3", "rerun of trial 3 of z0"),
        ("rerun z0 1 --phase confirm", "rerun of the confirmation of trial 2 of z0"),
    ],
)
def test_it_is_the_first_line(run: Run, words: str, line: str) -> None:
    first, *rest = run(*words.split(), code=2).stderr.splitlines()
    assert first == line
    assert "stopped here" in " ".join(rest)


@pytest.mark.usefixtures("recorded")
def test_a_trial_that_is_not_there_is_refused_at_once(run: Run) -> None:
    said = " ".join(run("rerun", "z0", "99", code=2).stderr.split())
    assert said.endswith("no trial 99 to train again in phase search; there is: 0, 1, 2, 3")


def test_folds_and_sweeps_of_older_versions(run: Run, recorded: Path) -> None:
    with Store(str(recorded / "results.db")) as store:
        store.update_sweep("z0", options={"top_k": 2})
    assert run("confirm", "z0", code=2).stderr.splitlines()[0] == "confirm z0"
    with Store(str(recorded / "results.db")) as store:
        store.delete_sweep("z0")
        record = replace(sweep_record(load_space("freesolv"), "tpe", 5), name="z0", options=SETTLED)
        store.create_sweep(replace(record, protocol=Protocol.INNER))
    first = run("confirm", "z0", code=2).stderr.splitlines()[0]
    assert first == "confirm z0: the best 2 on 3 fresh seeds x all folds, 1,200 epochs"
    first = run("resume", "z0", code=2).stderr.splitlines()[0]
    assert first == "resume z0: 0 of 5 trials are done"


def test_a_confirmation_of_none_is_refused_before_the_heavy_imports(home: Path) -> None:
    sweep_in(home / "runs" / "z0", load_space("freesolv"), "z0")
    said, loaded = refused_with(["confirm", "z0", "--top-k", "0"], home)
    assert "--top-k 0: nothing would be confirmed; " in " ".join(said.split())
    assert not {"torch", "ray", "optuna"}.intersection(loaded)
