from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import ray.cloudpickle

from pdf_search.results import Store
from pdf_search.space import Space, load_space
from pdf_search.sweep import Plan, SweepOptions, plan_sweep
from pdf_search.sweep.api import new_sweep_record
from pdf_search.sweep.tune.ray_session import one_ray
from tests.sweep import simulated
from tests.sweep.by_hand import ByHand, driver
from tests.sweep.helpers import NAME, Bench

SPACE = """
description: a small space whose trials are simulated
data: {name: freesolv}
metric: rmse
budget: {trials: 6, epochs: 12, method: tpe+asha, confirm: {top_k: 2, seeds: 3}}
limits: [model.hidden * model.layers <= 200]
points_to_evaluate:
  - model.hidden: 32
    training.learning_rate: 0.004
    training.batch_size: 16
basis: {eps: [-0.3], k: 2}
model: {hidden: {choice: [16, 32, 64, 128]}, layers: 2}
training:
  epochs: 30
  batch_size: {choice: BATCHES}
  learning_rate: {range: [1e-3, 1e-2], log: true}
"""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cache of prepared data, made once for all tests of the sweep."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def keep_ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], None]]:
    """Called when the environment is as the workers should have it: one Ray until the test ends."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(one_ray(tmp_path_factory.mktemp("ray")))


def write_space(folder: Path, batches: str = "[16]", text: str = SPACE) -> Space:
    file = folder / "tiny.yaml"
    file.write_text(text.replace("BATCHES", batches))
    return load_space(str(file))


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return write_space(tmp_path)


@pytest.fixture
def bench(tmp_path: Path, space: Space) -> Bench:
    return Bench(tmp_path, space)


@pytest.fixture(autouse=True)
def _benches_closed() -> Iterator[None]:
    yield
    while Bench.opened:
        Bench.opened.pop().close()


@pytest.fixture(autouse=True, scope="session")
def _simulated_by_value() -> None:
    # Workers do not have the tests on their import path.
    ray.cloudpickle.register_pickle_by_value(simulated)


@pytest.fixture
def plan(space: Space, cache: Path, tmp_path: Path) -> Plan:
    options = SweepOptions(out=tmp_path / "runs", cache=cache, name=NAME, trials=4, seeds=2)
    return plan_sweep(space, options)


@pytest.fixture
def store(plan: Plan) -> Iterator[Store]:
    """The database of the sweep, whose search is done."""
    with plan.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(plan, "command"))
        driver(plan, store).search(ByHand())  # type: ignore[arg-type]
        yield store
