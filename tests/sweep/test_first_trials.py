"""The first trials of a search: what the space lists, then the portfolio, then draws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pdf_search.space import Space
from pdf_search.space.portfolio import fit
from pdf_search.sweep import Plan, SweepOptions, plan_sweep
from pdf_search.sweep.api import new_sweep_record, recorded_plan
from pdf_search.sweep.samplers.fixed_points import chosen_portfolio
from tests.space.test_portfolio import entry
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.helpers import SHAPE, Bench, finish

RATES = (0.004, 0.002, 0.003, 0.005, 0.006, 0.007)


@pytest.fixture(autouse=True)
def portfolio(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts entries in the portfolio's place: at first six, of which the fourth is too large."""

    def put(*entries: fit.Entry) -> None:
        monkeypatch.setattr(fit, "shipped_portfolio", lambda: entries)

    shares = {0.004: 0.25, 0.005: 1.0}
    put(*(entry(learning_rate=r, hidden_share=shares.get(r, 0.5)) for r in RATES))
    return put


def rates(points: Any) -> list[float]:
    return [point["training.learning_rate"] for point in points]


def planned(space: Space, cache: Path, tmp_path: Path, **options: Any) -> Plan:
    return plan_sweep(space, SweepOptions(out=tmp_path / "runs", cache=cache, **options))


@pytest.mark.parametrize(("trials", "count"), [(2, 0), (3, 1), (8, 2), (11, 3), (14, 4), (99, 4)])
def test_at_most_a_third_is_the_portfolios(space: Space, trials: int, count: int) -> None:
    build = Bench.builder_of(space).search
    chosen = chosen_portfolio(space, SHAPE, build, trials)
    # The first is the listed point, and the fourth is outside the limits.
    assert rates(chosen) == [0.002, 0.003, 0.006, 0.007][:count]
    assert {point["model.hidden"] for point in chosen} <= {64}


def test_the_portfolio_comes_after_the_listed_points_and_before_draws(
    space: Space, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, space, trials=7)
    chosen = chosen_portfolio(space, SHAPE, bench.builder.search, 7)
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log, portfolio=chosen)
    for _ in range(2):
        job = source.next()
        assert job is not None
        finish(trial_log, job, 1.0)
    bench.open()  # a resume in the middle of the portfolio
    trial_log = bench.trial_log()
    source = bench.suggestions(trial_log, portfolio=chosen)
    while (job := source.next()) is not None:
        finish(trial_log, job, 1.0)
    records = [trial_log.records[number] for number in range(7)]
    assert [r.origin for r in records] == ["listed", *["portfolio"] * 2, *["sampled"] * 4]
    assert rates(r.params for r in records[:3]) == [0.004, 0.002, 0.003]
    told = bench.log.study.trials
    assert [t.params["training.learning_rate"] for t in told[:3]] == [0.004, 0.002, 0.003]


def test_the_plan_says_what_comes_first(space: Space, cache: Path, tmp_path: Path) -> None:
    made = planned(space, cache, tmp_path)
    assert rates(made.portfolio) == [0.002, 0.003]
    first = "6 trials of up to 12 epochs; first: the point listed first, then 2 of the portfolio"
    assert first in "\n".join(made.lines())


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SPACE, {"no_portfolio": True}),
        (SPACE.replace("trials: 6,", "trials: 6, portfolio: false,"), {}),
        (SPACE.replace("{range: [1e-3, 1e-2], log: true}", "{choice: [0.002, 0.004]}"), {}),
    ],
)
def test_without_the_portfolio(
    text: str, options: dict[str, Any], cache: Path, tmp_path: Path
) -> None:
    method = "grid" if "choice: [0.002" in text else "tpe"
    made = planned(write_space(tmp_path, text=text), cache, tmp_path, method=method, **options)
    assert made.portfolio == ()
    assert "first: the point listed first\n" in "\n".join(made.lines())


def test_a_sweep_keeps_the_portfolio_that_it_began_with(
    space: Space, cache: Path, tmp_path: Path, portfolio: Callable[..., None]
) -> None:
    made = planned(space, cache, tmp_path, name="s")
    with made.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(made, "command"))
        portfolio(entry(learning_rate=0.009))
        again = recorded_plan(store, made.folder, tmp_path / "runs", None, trials=30)
        assert again.trials == 30
        assert again.portfolio == made.portfolio
        assert again.recorded_options()["portfolio"] == made.recorded_options()["portfolio"]
        older = {k: v for k, v in made.recorded_options().items() if k != "portfolio"}
        store.update_sweep("s", options=older)
        again = recorded_plan(store, made.folder, tmp_path / "runs", None)
        assert again.portfolio == ()
