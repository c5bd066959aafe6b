"""A study's records: what is planned, what goes on, what is refused. Without Ray."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pdf_search.errors import ConfigError, DataError
from pdf_search.records import Phase, Protocol, State
from pdf_search.results import Store, study_parts
from pdf_search.space import load_study
from pdf_search.sweep import (
    Functions,
    SweepFolder,
    SweepOptions,
    begun_versions,
    confirm,
    plan_study,
    resume,
    run_sweep,
)
from pdf_search.sweep import study_run as module
from pdf_search.sweep.study_plan import StudyPlan
from pdf_search.sweep.study_run import open_jobs, study_trial_log
from pdf_search.sweep.trial_log.study_progress import StudyView
from pdf_search.sweep.trial_log.trial_log import TrialLog
from reports import load_study as load_report
from tests.sweep.helpers import report

STUDY = """
title: A small study
table: ablation
seeds: 2
epochs: 4
protocols: [split, inner]
rows:
  - name: narrow
    data: {name: freesolv}
    basis: {eps: [-0.3], k: 2}
    model: {hidden: 16, layers: 2}
    training: {epochs: 30, batch_size: 16}
  - name: wide
    data: {name: freesolv}
    basis: {eps: [-0.3], k: 2}
    model: {hidden: 32, layers: 2}
    training: {epochs: 30, batch_size: BATCH}
"""


def write_study(folder: Path, batch: int = 16) -> str:
    path = folder / "small.yaml"
    path.write_text(STUDY.replace("BATCH", str(batch)))
    return str(path)


def plan_of(tmp_path: Path, cache: Path, **changes: int) -> StudyPlan:
    study = load_study(write_study(tmp_path), **changes)  # type: ignore[arg-type]
    return plan_study(study, SweepOptions(out=tmp_path / "runs", cache=cache))


@pytest.fixture
def plan(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> StudyPlan:
    monkeypatch.setattr(module, "_train", lambda *_: None)  # everything but the training
    return plan_of(tmp_path, cache)


def log_of(plan: StudyPlan, store: Store) -> TrialLog:
    return study_trial_log(plan, store, StudyView(Console(quiet=True)))


def test_every_row_is_recorded_before_the_first_one_runs(plan: StudyPlan) -> None:
    seen: list[int] = []

    def count(store: Store) -> None:
        seen.append(sum(len(store.trials(part.name)) for part in plan.parts))

    result = run_sweep(plan, Console(quiet=True), functions=Functions(on_finished=count))
    assert seen == [4]
    assert {trial.state for trial in result.confirm} == {State.NOT_STARTED}
    with plan.folder.open_store() as store:
        split, inner = study_parts(store, "small")
        trials = store.trials("small/freesolv/split", Phase.CONFIRM)
    assert [split.name, inner.name] == ["small/freesolv/split", "small/freesolv/inner"]
    assert (split.method, split.dataset, split.metric) == ("listed", "freesolv", "rmse")
    assert (split.protocol, inner.protocol) == (Protocol.SPLIT, Protocol.INNER)
    assert split.options["study"] == {
        "name": "small",
        "title": "A small study",
        "table": "ablation",
        "parts": ["small/freesolv/split", "small/freesolv/inner"],
    }
    assert "nested" not in split.options["study"]
    assert split.space_definition == plan.study.as_dict()
    assert [(t.number, t.origin) for t in trials] == [(0, "study: narrow"), (1, "study: wide")]
    assert [len(t.replicates) for t in trials] == [2, 2]
    assert (trials[0].parameters or 0) < (trials[1].parameters or 0)


def test_runs_are_numbered_across_parts(plan: StudyPlan) -> None:
    run_sweep(plan, Console(quiet=True))
    with plan.folder.open_store() as store:
        log = log_of(plan, store)
        jobs = open_jobs(plan, log)
        assert [job.number for job in jobs] == [0, 1, 2, 3]
        assert [job.data for job in jobs] == ["freesolv"] * 4
        assert [len(job.config.replicates) for job in jobs] == [2, 2, 20, 20]
        log.started(3)
        log.epoch(3, report(1, *[1.0] * 20), "cpu")
        log.ended(3, State.COMPLETE)
        again = log_of(plan, store)
        assert len(open_jobs(plan, again)) == 3
        assert again.going == {0, 1, 2}  # nothing waits for the one that has ended
        inner = {t.origin: t.state for t in store.trials("small/freesolv/inner")}
        split = {t.state for t in store.trials("small/freesolv/split")}
    assert inner == {"study: narrow": State.NOT_STARTED, "study: wide": State.COMPLETE}
    assert split == {State.NOT_STARTED}


def test_what_a_kill_leaves_goes_on_and_a_failure_is_tried_again(plan: StudyPlan) -> None:
    run_sweep(plan, Console(quiet=True))
    with plan.folder.open_store() as store:
        log = log_of(plan, store)
        open_jobs(plan, log)
        for number in range(3):
            log.started(number)
            log.epoch(number, report(1, *[1.0] * (2 if number < 2 else 20)), "cpu")
        log.ended(0, State.COMPLETE)
        log.ended(1, State.FAILED, "boom")
        again = log_of(plan, store)  # run 2 was running when the driver was killed
        jobs = open_jobs(plan, again)
        assert [(job.number, job.resume) for job in jobs] == [(1, ""), (2, ""), (3, "")]
        for run in ("split", 1), ("inner", 0):  # each row stays until it is trained again
            rows = store.epochs(f"small/freesolv/{run[0]}", Phase.CONFIRM, run[1])
            assert [row.epoch for row in rows] == [1]
        again.started(2)
        again.started(3)
        again.interrupted()
        first, second = store.trials("small/freesolv/inner")
    assert first.state is State.INTERRUPTED
    assert first.message.startswith("interrupted at epoch 1, before its first checkpoint")
    assert second.state is State.NOT_STARTED
    assert second.message == "interrupted; `pdf-search resume small` starts it"


def test_other_settings_are_refused_with_what_changed(
    plan: StudyPlan, tmp_path: Path, cache: Path
) -> None:
    run_sweep(plan, Console(quiet=True))
    changed = plan_of(tmp_path, cache, epochs=6, seeds=3)
    with pytest.raises(ConfigError) as caught:
        run_sweep(changed, Console(quiet=True))
    assert "small in " in str(caught.value)
    assert "(seeds: 2 there, 3 now; epochs: 4 there, 6 now)" in str(caught.value)
    assert "pdf-search resume small" in str(caught.value)
    other = replace(changed, folder=SweepFolder.of(tmp_path / "runs", "other", None))
    assert run_sweep(other, Console(quiet=True)).ended == ""


def test_other_data_are_refused(plan: StudyPlan) -> None:
    run_sweep(plan, Console(quiet=True))
    parts = (replace(plan.parts[0], split_hash="another"), *plan.parts[1:])
    with pytest.raises(DataError, match="the split of freesolv is not what the sweep began with"):
        run_sweep(replace(plan, parts=parts), Console(quiet=True))


def test_a_study_is_not_confirmed_as_a_sweep_is(
    plan: StudyPlan, tmp_path: Path, cache: Path
) -> None:
    assert plan.parts
    (tmp_path / "one.yaml").write_text(
        STUDY.replace("BATCH", "16").replace("split, inner", "split")
    )
    one = load_study(str(tmp_path / "one.yaml"))
    run_sweep(plan_study(one, plan.options), Console(quiet=True))
    with pytest.raises(ConfigError, match="one is a study, whose runs are fixed"):
        confirm("one", tmp_path / "runs", cache=cache)


def test_it_goes_on_by_its_name_whatever_its_file_says_now(
    plan: StudyPlan, tmp_path: Path, cache: Path
) -> None:
    study = replace(plan.study, name="my/small")
    named = plan_study(study, plan.options)
    run_sweep(named, Console(quiet=True), "the first command")
    (tmp_path / "small.yaml").write_text("something else")
    result = resume("my/small", tmp_path / "runs", cache=cache, console=Console(quiet=True))
    assert result.plan.study == study
    assert result.plan.folder == named.folder
    assert result.plan.folder.path == tmp_path / "runs" / "my" / "small"
    assert named.folder.how_to_resume == f"pdf-search resume my/small --out {tmp_path / 'runs'}"


def test_another_name_is_that_of_everything_recorded(plan: StudyPlan) -> None:
    run_sweep(plan, Console(quiet=True))
    options = replace(plan.options, name="mine", db=plan.folder.database)
    mine = plan_study(plan.study, options)  # in one database with the first
    run_sweep(mine, Console(quiet=True))
    run_sweep(plan_study(plan.study, options), Console(quiet=True))
    with plan.folder.open_store() as store:
        assert [part.name for part in study_parts(store, "mine")] == [
            "mine/freesolv/split",
            "mine/freesolv/inner",
        ]
        assert len(store.sweeps()) == 4


def test_a_part_is_found_in_the_folder_of_its_study(plan: StudyPlan) -> None:
    run_sweep(plan, Console(quiet=True))
    out = plan.folder.out
    part = SweepFolder.find(out, "small/freesolv/inner", None)
    assert (part.path, part.name) == (plan.folder.path, "small/freesolv/inner")
    assert (part.part, part.out) == ("freesolv/inner", out)
    assert SweepFolder.find(out, "small", None) == plan.folder
    absent = SweepFolder.find(out, "absent/part", None)
    assert absent == SweepFolder.of(out, "absent/part", None)
    assert absent.out == out


def test_a_name_that_a_sweep_has_is_refused(plan: StudyPlan) -> None:
    run_sweep(plan, Console(quiet=True))
    with plan.folder.open_store(create=True) as store:
        record = study_parts(store, "small")[0]
        store.create_sweep(replace(record, name="taken", options={}))
    folder = SweepFolder(plan.folder.path, None, "taken")
    with pytest.raises(ConfigError, match="sweep taken exists in"):
        run_sweep(replace(plan, folder=folder), Console(quiet=True))


EQUAL = (
    STUDY.replace("BATCH", "16")
    + """
  - name: narrow again
    data: {name: freesolv}
    basis: {eps: [-0.3], k: 2}
    model: {hidden: 16, layers: 2}
    training: {epochs: 30, batch_size: 16}
  - name: narrow, plain
    data: {name: freesolv}
    basis: {eps: [-0.3], k: 2}
    model: {hidden: 16, layers: 2}
    training: {epochs: 30, batch_size: 16}
    engine: reference
"""
)


@pytest.fixture
def equal(plan: StudyPlan, tmp_path: Path) -> StudyPlan:
    path = tmp_path / "equal.yaml"
    path.write_text(EQUAL)
    return plan_study(load_study(str(path)), plan.options)


def test_equal_rows_are_trained_once(equal: StudyPlan) -> None:
    assert equal.as_dict()["runs"].startswith("6: 3 x FreeSolv, split")
    assert equal.as_dict()["equal rows"] == "'narrow again' is 'narrow': trained once"
    result = run_sweep(equal, Console(quiet=True))
    origins = ["study: narrow", "study: wide", "study: narrow, plain"]
    assert [trial.origin for trial in result.confirm] == origins * 2
    with equal.folder.open_store() as store:
        same = [part.options["study"]["same"] for part in study_parts(store, "equal")]
        jobs = open_jobs(equal, log_of(equal, store))
        shown = [run.name for run in load_report(store, "equal").runs()]
    assert same == [{"narrow again": "narrow"}] * 2
    assert [job.number for job in jobs] == [0, 1, 3, 4, 5, 7]  # places of rows, in both parts
    assert shown == ["narrow", "wide", "narrow again", "narrow, plain"] * 2


def test_what_an_older_version_planned_twice_is_trained_as_it_began(
    equal: StudyPlan, cache: Path
) -> None:
    run_sweep(equal, Console(quiet=True))
    with equal.folder.open_store(create=True) as store:
        for part in study_parts(store, "equal"):
            first = store.trials(part.name)[0]
            store.save_trial(replace(first, number=2, origin="study: narrow again"))
            del part.options["study"]["same"]
            store.update_sweep(part.name, options=part.options, method="study")
    result = resume("equal", equal.folder.out, cache=cache, console=Console(quiet=True))
    assert [trial.number for trial in result.confirm] == [0, 1, 2, 3] * 2
    with equal.folder.open_store() as store:
        parts = study_parts(store, "equal")
        jobs = open_jobs(equal, log_of(equal, store))
        shown = [run.name for run in load_report(store, "equal").runs()]
    assert {part.method for part in parts} == {"listed"}
    assert [job.number for job in jobs] == list(range(8))
    assert shown == ["narrow", "wide", "narrow again", "narrow, plain"] * 2


def test_what_is_timed_runs_alone(tmp_path: Path, cache: Path) -> None:
    text = STUDY.replace("BATCH", "16").replace("table: ablation", "table: timing")
    (tmp_path / "timed.yaml").write_text(text)
    study = load_study(str(tmp_path / "timed.yaml"))
    options = SweepOptions(out=tmp_path, cache=cache, gpus_per_trial=0.0)
    assert plan_study(study, options).resources.concurrent == 1
    untimed = replace(study, head=study.head.model_copy(update={"table": "ablation"}))
    most = plan_study(untimed, options).resources.concurrent
    assert plan_study(study, replace(options, concurrent=most)).resources.concurrent == most


def test_the_plan_says_what_runs(plan: StudyPlan) -> None:
    shown = plan.as_dict()
    assert shown["runs"] == (
        "4: 2 x FreeSolv, split, 2 seeds, 4 epochs; "
        "2 x FreeSolv, inner, 2 seeds x 10 folds, 4 epochs"
    )


def older(plan: StudyPlan) -> None:
    """Take from the recorded study the keys that versions before ``data.featuriser`` had not."""
    with plan.folder.open_store() as store:
        for part in study_parts(store, plan.name):
            definition = part.space_definition
            for row in definition["rows"]:
                for key in ("featuriser", "split_version", "split_by"):
                    del row["data"][key]
            store.update_sweep(part.name, space_definition=definition)


FIRST = ("data.featuriser=1", "data.split_version=1")


@pytest.mark.usefixtures("plan")
def test_keys_that_were_not_recorded_have_their_defaults(tmp_path: Path, cache: Path) -> None:
    options = SweepOptions(out=tmp_path / "runs", cache=cache)
    path = write_study(tmp_path)
    began = plan_study(load_study(path, FIRST), options)
    assert begun_versions(began.folder) == {}
    run_sweep(began, Console(quiet=True))
    older(began)
    versions = begun_versions(began.folder)
    assert versions == {"featuriser": 1, "split_version": 1}
    run_sweep(plan_study(load_study(path, begun=versions), options), Console(quiet=True))
    with pytest.raises(ConfigError) as refused:
        run_sweep(plan_study(load_study(path), options), Console(quiet=True))
    changed = "rows.narrow (freesolv).data.featuriser: 1 there, 2 now"
    assert changed in str(refused.value)
    assert "pdf-search resume small" in str(refused.value)
    assert "split_by" not in str(refused.value)
    named = load_study(path, ["data.featuriser=2"], begun=versions)
    assert {row.config.data.featuriser for row in named.rows} == {2}
    assert {row.config.data.split_version for row in named.rows} == {1}
