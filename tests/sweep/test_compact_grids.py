"""A sweep whose space asks for compact bases: they are listed before a trial exists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdf_search import graphs
from pdf_search.config import BasisConfig, parse_trial
from pdf_search.errors import ConfigError, TrialError
from pdf_search.records import Phase
from pdf_search.space import Space, load_space, load_study
from pdf_search.sweep import Plan, SweepOptions, plan_study, plan_sweep
from pdf_search.sweep.api import new_sweep_record, recorded_plan
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.samplers.optuna_study import OptunaStudy
from pdf_search.sweep.samplers.suggestions import Suggestions
from pdf_search.sweep.shared_bases import shared_bases
from pdf_search.training import run_trial

SPACE = """
data: {name: freesolv}
metric: rmse
budget: {trials: 6, epochs: 2, method: random}
basis:
  choice:
    few: {eps: [-0.3], k: 2}
    window:
      eps:
        low: {range: [-0.5, -0.1], step: 0.2}
        high: -0.1
        step: 0.2
      k: {low: 1, high: {range: [3, 5]}}
      select: {choice: [compact, full]}
model: {hidden: 8, layers: 1}
training: {epochs: 4}
"""
WIDEST = BasisConfig(eps=(-0.1, -0.3, -0.5), k=(1, 2, 3, 4, 5))
POINT = {
    "basis": "window",
    "basis.window.eps.low": -0.5,
    "basis.window.k.high": 5,
    "basis.window.select": "compact",
}
STUDY = """
title: A small study
table: ablation
seeds: 1
epochs: 2
rows:
  - {name: full, data: {name: freesolv}, basis: {eps: [-0.1, -0.3, -0.5], k: {low: 1, high: 5}}}
  - name: compact
    data: {name: freesolv}
    basis: {eps: [-0.1, -0.3, -0.5], k: {low: 1, high: 5}, select: compact}
"""


def space_of(folder: Path, *more: str) -> Space:
    file = folder / "compact.yaml"
    file.write_text(SPACE + "\n".join(more))
    return load_space(str(file))


def plan_of(folder: Path, cache: Path, *more: str, **options: object) -> Plan:
    settled = SweepOptions(out=folder / "runs", cache=cache, **options)  # type: ignore[arg-type]
    return plan_sweep(space_of(folder, *more), settled)


def test_a_point_becomes_listed_pairs(tmp_path: Path, cache: Path) -> None:
    plan = plan_of(tmp_path, cache)
    config = plan.builder.search(POINT)
    assert plan.bases is not None
    assert config.basis == plan.bases.kept(WIDEST)
    assert (config.basis.select, config.basis.size) == ("full", 9)
    assert plan.builder.search({**POINT, "basis.window.select": "full"}).basis.size == 16
    again = parse_trial(config.model_dump(mode="json"))
    assert again.content_hash() == config.content_hash()
    assert plan.builder.confirm(config.model_dump(mode="json")).basis == config.basis


def test_the_plan_says_how_many_are_kept(tmp_path: Path, cache: Path) -> None:
    lines = "\n".join(plan_of(tmp_path, cache).lines())
    assert "compact keeps 8 of the 15 (eps, k) of the widest grid" in lines
    fixed = load_space(str(tmp_path / "compact.yaml"), ["basis={eps: [-0.3], k: 2}"])
    settled = plan_sweep(fixed, SweepOptions(out=tmp_path / "runs", cache=cache, quick=True))
    assert settled.bases is None
    assert "--quick" not in "".join(settled.notes)


def test_a_quick_plan_measures_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "build_bank", lambda *_: pytest.fail("built"))
    plan = plan_of(tmp_path, cache, quick=True)
    assert plan.builder.search(POINT).basis.size == 16
    assert "with --quick, limits and counts take the whole grid" in "\n".join(plan.lines())


def test_limits_and_counts_are_those_of_the_kept(tmp_path: Path, cache: Path) -> None:
    """Different windows that keep the same bases are one configuration."""
    plan = plan_of(tmp_path, cache, "limits: [basis.size <= 9]")
    shape = plan.info.shape
    assert shape is not None
    assert not plan.space.violations(plan.builder.search(POINT), shape)
    full = plan.builder.search({**POINT, "basis.window.select": "full"})
    assert plan.space.violations(full, shape)
    points = list(plan.space.grid())
    kept = {plan.builder.search(p).content_hash() for p in points}
    within = {
        config.content_hash()
        for config in map(plan.builder.search, points)
        if not plan.space.violations(config, shape)
    }
    assert len(within) < len(kept) < len(points)
    with pytest.raises(ConfigError, match=r"basis\.size <= 1"):
        plan_of(tmp_path, cache, "limits: [basis.size <= 1]")


def test_what_is_recorded_is_listed_and_what_optuna_drew_is_not(
    tmp_path: Path, cache: Path
) -> None:
    plan = plan_of(tmp_path, cache, f"points_to_evaluate: [{POINT}]".replace("'", ""))
    assert plan.info.shape is not None
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    log = OptunaStudy(url, "compact", plan.space, plan.metric, 0, plan.trials)
    jobs = Suggestions(log, plan.method, plan.info.shape, plan.builder.search, total=1)
    job = jobs.next()
    log.close()
    assert job is not None
    assert job.params["basis.window.select"] == "compact"
    assert job.config.basis.pairs is not None
    assert job.config.basis.select == "full"


def test_what_the_graphs_tell_is_recorded_for_the_report(tmp_path: Path, cache: Path) -> None:
    more = (
        "      support: {choice: [{hops: 2}, dense]}\n      standardise: {choice: [true, false]}\n"
    )
    file = tmp_path / "supports.yaml"
    file.write_text(SPACE.replace("model:", f"{more}model:"))
    plan = plan_sweep(load_space(str(file)), SweepOptions(out=tmp_path / "runs", cache=cache))
    assert plan.bases is not None
    assert len(plan.bases.wide) == 4
    found = json.loads(json.dumps(plan.recorded_options()["bases"]))
    assert (found["support"], found["standardise"]) == ("dense", False)
    assert (len(found["grid"]), found["kept"], found["training_graphs"]) == (15, 8, 513)
    kept = sorted((eps, k) for eps, k in found["picks"][:8])
    assert kept == sorted(plan.bases.kept(WIDEST).grid)
    assert plan_of(tmp_path, cache, quick=True).recorded_options()["bases"] == {}


def test_a_resume_picks_the_same(tmp_path: Path, cache: Path) -> None:
    plan = plan_of(tmp_path, cache, name="mine")
    with plan.folder.open_store(create=True) as store:
        record = new_sweep_record(plan, "")
        store.create_sweep(record)
        folder = SweepFolder.find(tmp_path / "runs", "mine", None)
        again = recorded_plan(store, folder, tmp_path / "runs", None, cache=cache)
    assert again.builder.search(POINT) == plan.builder.search(POINT)


def test_trials_share_the_widest_bank(tmp_path: Path, cache: Path) -> None:
    plan = plan_of(tmp_path, cache)
    (wide,) = shared_bases(plan.space)
    assert set(wide.grid) == set(WIDEST.grid)
    assert wide.covers(plan.builder.search(POINT).basis)


def test_a_grid_that_is_too_wide_is_measured_by_itself(tmp_path: Path, cache: Path) -> None:
    text = SPACE.replace("step: 0.2}", "step: 0.001}").replace("step: 0.2\n", "step: 0.05\n")
    file = tmp_path / "wide.yaml"
    file.write_text(text)
    plan = plan_sweep(load_space(str(file)), SweepOptions(out=tmp_path / "runs", cache=cache))
    assert "compact picks from each grid by itself" in "\n".join(plan.lines())
    config = plan.builder.search({**POINT, "basis.window.eps.low": -0.2, "basis.window.k.high": 3})
    assert 8 <= len(config.basis.grid) <= 9


def test_bases_that_are_not_listed_do_not_train(tmp_path: Path, cache: Path) -> None:
    plan = plan_of(tmp_path, cache, quick=True)
    with pytest.raises(TrialError, match="a trial needs its bases listed"):
        run_trial(plan.builder.search(POINT), plan.data, lambda *_: None)


def test_a_study_lists_the_bases_of_its_rows(tmp_path: Path, cache: Path) -> None:
    """A compact row equals no full row with the same grid."""
    (tmp_path / "small.yaml").write_text(STUDY)
    study = load_study(str(tmp_path / "small.yaml"))
    plan = plan_study(study, SweepOptions(out=tmp_path / "runs", cache=cache))
    (part,) = plan.parts
    (_, full), (_, compact) = part.part.trained.values()
    assert (full.basis.size, compact.basis.size) == (16, 9)
    assert compact.basis.select == "full"
    assert compact.phase is Phase.CONFIRM
