"""Steps of one shape through static buffers, as a GPU records them, against the eager trainer."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.model.sizes import Sizes
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.cuda_graph.replay import emulated, is_dropped
from pdf_search.training.cuda_graph.side_stream import SideStream
from pdf_search.training.cuda_graph.trainer import SPARE, CudaGraphTrainer, Learning, in_steps
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits
from tests.training.fake_cuda import FakeCuda, Replaying
from tests.training.trials import folded, trial

CPU = torch.device("cpu")
ZINC = {"filter_norm": False, "softmax": False}
MODELS = {
    "zinc": ZINC,
    "softmax": {},
    "dropout": {"dropout": 0.3},
    "shared": {**ZINC, "channels": "shd", "head": "mlp", "readout": "max"},
}


def trainers(
    config: TrialConfig, data: Prepared
) -> tuple[ReplicateTrainer, ReplicateTrainer, ReplicateSplits]:
    splits = ReplicateSplits.of(config, data)
    one, two = (build_trainer(config, data, splits, CPU) for _ in range(2))
    return one, two, splits


def same(ours: Tensor, theirs: Tensor) -> None:
    scale = max(1.0, float(theirs.abs().max()))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * scale)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("at_once", [2, 100])
def test_epochs_equal_the_eager_program(freesolv: Prepared, name: str, at_once: int) -> None:
    """Losses, parameters, moments, statistics and predictions are the same.

    Four steps an epoch, the last batch smaller; steps built in chunks or all at once.
    """
    config = trial(model=MODELS[name], seeds=(0, 1, 5), training={"learning_rate": 1e-3})
    eager, other, splits = trainers(config, freesolv)
    static = CudaGraphTrainer(other, emulated, at_once)
    places = {part: splits.places(part) for part in ("valid",)}
    for epoch in (1, 2, 3):
        order = splits.epoch_order(epoch)
        assert order.shape[1] % config.training.batch_size
        same(static.train_epoch(epoch, order, 1e-3), eager.train_epoch(epoch, order, 1e-3))
        for part in places.values():
            for ours, theirs in zip(static.predict(part), eager.predict(part), strict=True):
                same(ours, theirs)
    state = eager.model.state_dict()
    for key, value in other.model.state_dict().items():
        same(value, state[key])
    for key, value in eager.optimizer.state_dict().items():
        same(other.optimizer.state_dict()[key], value)


def test_folds_of_unequal_length(mutag: Prepared) -> None:
    """Folds of 57 and 58 graphs: one step more for some, while the others wait."""
    config = folded(fraction=1.0, phase="confirm", training={"batch_size": 19})
    eager, other, splits = trainers(config, mutag)
    static = CudaGraphTrainer(other, emulated, 100)
    order = splits.epoch_order(1)
    steps = in_steps(order, 19)
    assert len({int(n) for n in (steps >= 0).any(2).sum(0)}) == 2
    same(static.train_epoch(1, order, 1e-3), eager.train_epoch(1, order, 1e-3))
    same(other.optimizer.steps, eager.optimizer.steps)
    same(other.optimizer.values, eager.optimizer.values)


def test_a_step_without_graphs_changes_nothing(freesolv: Prepared) -> None:
    """What recording relies on: it runs the step on empty buffers."""
    trainer, _, splits = trainers(trial(seeds=(0, 1), model={"dropout": 0.1}), freesolv)
    trainer.train_epoch(1, splits.epoch_order(1), 1e-3)
    before = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    moments = {name: value.clone() for name, value in trainer.optimizer.state_dict().items()}
    loss = trainer.train_step(2, 0, torch.full((2, 5), -1), 1e-3)
    assert not loss.any()
    for name, value in trainer.model.state_dict().items():
        assert torch.equal(value, before[name])
    for name, value in trainer.optimizer.state_dict().items():
        assert torch.equal(value, moments[name])


def test_steps_are_recorded_once_and_again_when_one_needs_more_room(freesolv: Prepared) -> None:
    trainer, _, splits = trainers(trial(fraction=0.3), freesolv)
    recorded = []

    def counted(step):  # type: ignore[no-untyped-def]
        recorded.append(1)
        return emulated(step)

    static = CudaGraphTrainer(trainer, counted, 100)
    counts = splits.graphs.node_count[splits.epoch_order(1)[0].numpy()]
    by_size = splits.epoch_order(1)[:, torch.from_numpy(counts).argsort()]
    small, large = by_size[:, :16], by_size[:, -16:]
    static.train_epoch(1, small, 1e-3)
    static.train_epoch(2, small, 1e-3)
    assert len(recorded) == 1
    static.train_epoch(3, large, 1e-3)
    assert len(recorded) == 2
    static.train_epoch(4, small, 1e-3)
    assert len(recorded) == 2


def test_a_recording_that_grows_drops_all_before_and_the_others_follow(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old and new never lie side by side; the numbers are those of the eager program."""
    eager, other, splits = trainers(trial(fraction=0.3), freesolv)
    cuda = FakeCuda(monkeypatch)
    static = CudaGraphTrainer(other, Replaying(), 100)
    order = splits.epoch_order(1)
    by_size = order[:, torch.from_numpy(splits.graphs.node_count[order[0].numpy()]).argsort()]
    small, large, valid = by_size[:, :16], by_size[:, -16:], splits.places("valid")
    for epoch, graphs in enumerate((small, small, large, small), 1):
        same(static.train_epoch(epoch, graphs, 1e-3), eager.train_epoch(epoch, graphs, 1e-3))
        same(static.predict(valid)[0], eager.predict(valid)[0])
    pool_1, pool_2 = ("record", 1, 1), ("record", 1, 2)
    assert cuda.log == [pool_1, pool_1, ("empty",), pool_2, pool_2]
    static.close()
    assert is_dropped(static.learning.replay)
    assert is_dropped(static.predicting.replay)
    assert static.kept == {}


def test_training_recorded_again_for_the_sake_of_predictions_changes_nothing_twice(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runs before a recording are on a step without graphs, not on the last batch."""
    eager, other, splits = trainers(trial(), freesolv)
    cuda = FakeCuda(monkeypatch)
    static = CudaGraphTrainer(other, Replaying(), 100)
    few, valid = splits.places("train")[:, :3], splits.places("valid")
    order = splits.epoch_order(1)
    for epoch, graphs in enumerate((few, valid, valid), 1):
        same(static.train_epoch(epoch, order, 1e-3), eager.train_epoch(epoch, order, 1e-3))
        same(static.predict(graphs)[0], eager.predict(graphs)[0])
    assert cuda.log.count(("empty",)) == 1
    same(other.optimizer.steps, eager.optimizer.steps)
    same(other.optimizer.values, eager.optimizer.values)


def test_later_epochs_of_zinc_fit_the_first_recording() -> None:
    """The largest batch of its first epoch has some 1,585 nodes, that of all epochs 1,640."""
    first = Sizes(spare=SPARE).holding(nodes=1585 + 1)
    assert first.holding(nodes=1640 + 1) == first
    assert first.nodes <= 1.06 * 1585
    assert Sizes().holding(nodes=1586).nodes == 1600  # predictions are the same in each epoch


def test_kept_batches_of_predictions_follow_the_shapes(freesolv: Prepared) -> None:
    eager, other, splits = trainers(trial(), freesolv)
    static = CudaGraphTrainer(other, emulated, 100)
    small, large = splits.places("train")[:, :3], splits.places("valid")
    for _ in range(3):
        for graphs in (small, large):
            for ours, theirs in zip(static.predict(graphs), eager.predict(graphs), strict=True):
                same(ours, theirs)
    assert static.kept[small].places == static.kept[large].places == static.predicting.places


@pytest.mark.parametrize("keeps", [True, False])
def test_batches_of_predictions_are_kept_only_where_the_plan_has_room(
    freesolv: Prepared, keeps: bool
) -> None:
    eager, other, splits = trainers(trial(), freesolv)
    static = CudaGraphTrainer(other, emulated, 100, keeps)
    valid = splits.places("valid")
    for _ in range(2):
        same(static.predict(valid)[0], eager.predict(valid)[0])
    assert len(static.kept) == keeps


RECORDING, SIDE = 1, 2  # streams of a FakeCuda, in the order in which they are made


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    """A GPU that notes on which stream batches are made and steps run, None for the usual one."""
    cuda = FakeCuda(monkeypatch)

    def noted(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*arguments: Any) -> Any:
            cuda.order.append((what, cuda.stream))
            return function(*arguments)

        return noting

    monkeypatch.setattr(Learning, "__call__", noted("step", Learning.__call__))
    monkeypatch.setattr(CudaGraphTrainer, "_built", noted("make", CudaGraphTrainer._built))
    return cuda


@pytest.mark.parametrize("at_once", [2, 100])
def test_the_next_epochs_batches_are_made_beside_in_order(
    freesolv: Prepared, beside: FakeCuda, at_once: int
) -> None:
    """They wait for what came before an epoch's steps, not for these; and the next ones for them.

    Where an epoch is made in several chunks, each is made when it is needed.
    """
    config = trial(model=MODELS["dropout"], seeds=(0, 1), training={"learning_rate": 1e-3})
    eager, other, splits = trainers(config, freesolv)
    static = CudaGraphTrainer(other, Replaying(), at_once, side=SideStream())
    for epoch in (1, 2, 3):
        order = splits.epoch_order(epoch)
        beside.order.clear()
        same(static.train_epoch(epoch, order, 1e-3), eager.train_epoch(epoch, order, 1e-3))
        static.build_ahead(epoch + 1, splits.epoch_order)
        seen = [entry for entry in beside.order if RECORDING not in entry]
        if at_once == 2:
            assert seen.count(("make", None)) == 2
            assert ("make", SIDE) not in seen
            continue
        steps = [("mark", 0), *[("step", None)] * 4]
        before = ("make", None) if epoch == 1 else ("wait", 0, SIDE)
        assert seen == [before, *steps, ("wait for the mark", SIDE, 0), ("make", SIDE)]
    same(other.optimizer.values, eager.optimizer.values)
    beside.order.clear()
    static.close()
    assert static.ahead is None
    assert beside.order == [("wait", 0, SIDE)]  # before what it reads is freed


def test_batches_made_ahead_for_another_epoch_are_left(
    freesolv: Prepared, beside: FakeCuda
) -> None:
    eager, other, splits = trainers(trial(seeds=(0, 1)), freesolv)
    static = CudaGraphTrainer(other, Replaying(), 100, side=SideStream())
    for epoch in (1, 4):
        order = splits.epoch_order(epoch)
        same(static.train_epoch(epoch, order, 1e-3), eager.train_epoch(epoch, order, 1e-3))
        static.build_ahead(epoch + 1, splits.epoch_order)
    assert beside.order.count(("make", None)) == 2


def test_what_the_side_made_stays_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeCuda(monkeypatch)
    readers: list[int] = []
    made: Any = SimpleNamespace(is_cuda=True, record_stream=lambda s: readers.append(s.number))
    SideStream().join(made, torch.zeros(1))
    assert readers == [0]
