"""Private names of Ray: changed while a sweep runs, and not needed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import ray._private.services
import ray._private.worker
from ray.air.execution import FixedResourceManager, ResourceRequest
from ray.air.execution._internal.tracked_actor import TrackedActor
from ray.air.execution._internal.tracked_actor_task import TrackedActorTask
from ray.exceptions import ObjectLostError, OutOfMemoryError, RayError, RayTaskError
from ray.tune.execution import tune_controller

from pdf_search.sweep.tune.callbacks import all_losses_told, is_loss
from pdf_search.sweep.tune.logs import logging_to
from pdf_search.sweep.tune.own_processes import own_processes
from pdf_search.sweep.tune.ray_internals import replaced
from pdf_search.sweep.tune.ray_session import one_ray

LINES = {"lines": ["raylet is lost"]}


def test_a_private_name_is_replaced_for_the_time_being() -> None:
    said: list[str] = []
    before = ray._private.worker.print_to_stdstream
    with replaced("ray._private.worker", "print_to_stdstream", lambda old: [old], said.append, ""):
        assert ray._private.worker.print_to_stdstream == [before]
    assert ray._private.worker.print_to_stdstream is before
    assert not said


@pytest.mark.parametrize("module", ["ray._private.worker", "ray._private.another.module"])
def test_what_this_ray_lacks_is_told_and_nothing_else(module: str) -> None:
    said: list[str] = []
    with replaced(module, "renamed", lambda _: SimpleNamespace(), said.append, "less is logged"):
        assert not hasattr(ray._private.worker, "renamed")
    assert said == [f"note: this version of Ray has no {module}.renamed: less is logged"]


def test_the_log_of_a_sweep_takes_the_raylets_errors(tmp_path: Path) -> None:
    with logging_to(tmp_path / "log"):
        ray._private.worker.print_to_stdstream(LINES, ignore_prefix=False)  # type: ignore[arg-type]
    assert "WARNING ray: raylet: raylet is lost" in (tmp_path / "log").read_text()


def test_the_log_of_a_sweep_has_no_noise_of_ray(tmp_path: Path) -> None:
    with logging_to(tmp_path / "log"):
        results = logging.getLogger("ray.tune.analysis.experiment_analysis")
        results.warning("Failed to fetch metrics for %s trial(s):\n- x: Could not fetch", 1)
        slow = logging.getLogger("ray.tune.utils.util")
        slow.warning(
            "The `process_trial_result` operation took %.1f s, "
            "which may be a performance bottleneck.",
            0.8,
        )
        results.warning("something that matters")
        logging.getLogger("ray.tune.tune").info("Wrote the latest version of all result files")
    text = (tmp_path / "log").read_text()
    assert text.count("\n") == 1
    assert "something that matters" in text


def test_without_a_place_for_the_raylets_errors_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(ray._private.worker, "print_to_stdstream")
    with logging_to(tmp_path / "log"):
        logging.getLogger("optuna").info("goes on")
    text = (tmp_path / "log").read_text()
    assert "no ray._private.worker.print_to_stdstream: errors of its raylet are printed" in text
    assert "INFO optuna: goes on" in text


def test_without_a_session_of_their_own_a_sweep_starts_with_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delattr(ray._private.services, "ConsolePopen")
    with own_processes(said.append):
        assert not hasattr(ray._private.services, "ConsolePopen")
    assert len(said) == 1
    assert "a signal to the whole process group ends Ray's processes too" in said[0]


@pytest.fixture(scope="module")
def _ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Ray's manager of resources asks where it runs; without this it starts or joins any Ray."""
    with one_ray(tmp_path_factory.mktemp("ray")):
        yield


@pytest.mark.ray
@pytest.mark.usefixtures("_ray")
@pytest.mark.parametrize("error", [OutOfMemoryError("low on memory"), ObjectLostError("0", "", "")])
def test_a_worker_is_lost_whatever_ray_says_of_its_end(error: RayError) -> None:
    seen: list[Exception] = []
    worker = TrackedActor(1, on_error=lambda _, told: seen.append(told))
    task = TrackedActorTask(worker, on_error=lambda _, told: seen.append(told))
    resources, one = FixedResourceManager({"CPU": 1.0}), ResourceRequest([{"CPU": 1.0}])
    resources.request_resources(one)
    with all_losses_told(pytest.fail):
        manager = tune_controller.RayActorManager(resources)
        held = (None, resources.acquire_resources(one))
        manager._live_actors_to_ray_actors_resources[worker] = held
        manager._actor_task_failed(tracked_actor_task=task, exception=error)
    assert len(seen) == 2
    assert all(is_loss(told) and str(error) in str(told) for told in seen)


@pytest.mark.ray
@pytest.mark.usefixtures("_ray")
def test_what_a_workers_code_raised_is_its_own() -> None:
    seen: list[Exception] = []
    worker = TrackedActor(1, on_error=lambda *_: pytest.fail("it is not lost"))
    task = TrackedActorTask(worker, on_error=lambda _, told: seen.append(told))
    raised = RayTaskError("train", "", ValueError("nothing to train on"))
    with all_losses_told(pytest.fail):
        manager = tune_controller.RayActorManager(FixedResourceManager({"CPU": 1.0}))
        manager._actor_task_failed(tracked_actor_task=task, exception=raised)
    assert seen == [raised]
