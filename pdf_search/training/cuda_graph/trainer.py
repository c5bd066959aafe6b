"""Training and prediction in steps of one shape: many are built at once, then each is replayed.

Legend: S steps, R replicates, B graph slots, L graphs of a replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from pdf_search.model import FastBatch, FastData, Sizes, stack, step_keys
from pdf_search.training.cuda_graph.packed_steps import ByteRange, Packed, views
from pdf_search.training.cuda_graph.replay import Replay, Step, drop, is_dropped
from pdf_search.training.cuda_graph.side_stream import SideStream
from pdf_search.training.replicate_trainer import PREDICTION_BATCH, ReplicateTrainer, by_replicate

# Room beyond the first epoch's largest batch, so that later ones seldom need a new recording. On
# ZINC, with 8 replicates and batches of 64, that one has 1,582 to 1,633 nodes, and the largest of
# 351 epochs 1,640.
SPARE = 1 / 32


@dataclass(frozen=True)
class StepInput:
    """What one step reads: its batch, and the random keys of its noise."""

    batch: FastBatch
    keys: Tensor  # [R] of the step's noise


class Learning:
    """The training step. Its rate and sums stay at their addresses.

    It does not know who records it: the memory of a trial is freed when the trial ends, and in a
    cycle it would wait for Python's collector.
    """

    def __init__(self, eager: ReplicateTrainer) -> None:
        self.eager = eager
        self.rate = torch.zeros((), device=eager.mean.device)
        self.total = eager.mean.new_zeros(len(eager.replicates))  # of the losses, [R]

    def __call__(self, step: StepInput) -> None:
        """Train on a step's batch."""
        self.total += self.eager.learn(step.batch, step.keys, self.rate)


class Predicting:
    """The prediction step; ``output`` [R, B, outputs] is that of the last one."""

    def __init__(self, eager: ReplicateTrainer) -> None:
        self.eager = eager
        self.output = eager.mean.new_zeros(0)

    def __call__(self, step: StepInput) -> None:
        """Predict a step's batch."""
        self.output = self.eager.infer(step.batch)


class RecordedStep:
    """A step, the buffer that it reads, and the function that replays it.

    The first stack of steps decides the shapes. A stack that needs more room gets a new buffer and
    a new recording; all recordings are dropped before, so that old and new never lie side by side.
    """

    def __init__(
        self, step: Callable[[StepInput], None], replay: Replay, spare: float = 0.0
    ) -> None:
        self.step = step
        self.record = replay
        self.sizes = Sizes(spare=spare)
        self.close()

    def close(self) -> None:
        """Free the recording and the buffer."""
        self.places: tuple[ByteRange, ...] = ()
        self.replay: Step | None = None
        self.like: StepInput | None = None
        self.empty = self.row = torch.empty(0, dtype=torch.uint8)

    def prepare(self, like: StepInput, empty: Packed, device: torch.device) -> None:
        """Allocate the buffer and record the step.

        ``like``: a step without graphs, which gives the structure. ``empty``: the same step,
        packed. Without graphs the runs before recording change nothing.
        """
        recorded = not is_dropped(self.replay)
        self.close()
        if recorded:
            drop(self.record)
        self.like, self.places, self.empty = like, empty.places, empty.rows[0]
        self.row = self.empty.to(device, copy=True)
        self._record()

    def _record(self) -> None:
        assert self.like is not None
        self.replay = self.record(partial(_on_row, self.step, self.like, self.row, self.places))

    def run(self, packed: Packed, number: int) -> None:
        """Copy step ``number`` into the buffer and replay it."""
        if is_dropped(self.replay):  # for the sake of another step
            self.row.copy_(self.empty)
            self._record()
        assert self.replay is not None
        self.row.copy_(packed.rows[number], non_blocking=True)
        self.replay()


def _on_row(
    step: Callable[[StepInput], None], like: StepInput, row: Tensor, places: tuple[ByteRange, ...]
) -> None:
    step(views(like, row, places))


@dataclass(frozen=True)
class Ahead:
    """The packed steps of an epoch to come."""

    epoch: int
    steps: Tensor  # [S, R, B]
    packed: Packed


class CudaGraphTrainer:
    """A trainer whose steps all have one shape, so that each is one replay.

    ``at_once``: the number of training steps that are built at once. ``keeps``: whether batches of
    predictions stay for the next epoch. ``side``: the stream where the next epoch's batches are
    made, if memory holds two epochs. The data may lie in host memory; then batches are built there
    and copied from pinned memory.
    """

    def __init__(
        self,
        eager: ReplicateTrainer,
        replay: Replay,
        at_once: int,
        keeps: bool = True,
        side: SideStream | None = None,
    ) -> None:
        assert isinstance(eager.data, FastData)
        self.eager = eager
        self.data = eager.data
        self.at_once = at_once
        self.keeps = keeps
        share = eager.training.batch_size / PREDICTION_BATCH
        self.predicted_at_once = max(1, int(at_once * share))
        self.device = eager.mean.device
        self.learn, self.infer = Learning(eager), Predicting(eager)
        self.learning = RecordedStep(self.learn, replay, SPARE)
        self.predicting = RecordedStep(self.infer, replay)
        self.kept: dict[Tensor, Packed] = {}
        self.side = side
        self.ahead: Ahead | None = None

    def close(self) -> None:
        """Free the recordings, their buffers and the kept batches."""
        if self.side is not None:
            self.side.join()  # it may read the data still, which are freed next
        self.ahead = None
        self.kept.clear()
        self.learning.close()
        self.predicting.close()

    def train_epoch(self, epoch: int, graphs: Tensor, rate: float) -> Tensor:
        """See ``ReplicateTrainer.train_epoch``."""
        self.learn.rate.fill_(rate)
        self.learn.total.zero_()
        for packed in self._training_chunks(epoch, graphs):
            if self.side is not None:
                self.side.fork()
            for number in range(packed.steps):
                self.learning.run(packed, number)
            del packed  # before the next ones are built
        return self.learn.total / (graphs >= 0).sum(1)

    def build_ahead(self, epoch: int, order: Callable[[int], Tensor]) -> None:
        """Make an epoch's batches on the side, while the steps of the one before run."""
        if self.side is None:
            return
        with self.side.beside():
            steps = self._training_steps(order(epoch))
            if len(steps) <= self.at_once:
                steps, keys = self._with_keys(steps, epoch)
                self.ahead = Ahead(epoch, steps, self._built(self.learning, steps, keys))

    def _training_chunks(self, epoch: int, graphs: Tensor) -> Iterator[Packed]:
        """The packed steps of an epoch, at once if they were made on the side."""
        ahead, self.ahead = self.ahead, None
        if self.side is None or ahead is None or ahead.epoch != epoch:
            steps = self._training_steps(graphs)
            yield from self._chunks(self.learning, steps, self.at_once, epoch)
            return
        self.side.join(ahead.packed.rows)
        self._fit(self.learning, ahead.packed, ahead.steps)
        packed = ahead.packed
        del ahead
        yield packed

    def _training_steps(self, graphs: Tensor) -> Tensor:
        return in_steps(graphs, min(self.eager.training.batch_size, graphs.shape[1]))

    def predict(self, graphs: Tensor) -> list[Tensor]:
        """See ``ReplicateTrainer.predict``. Packed batches of ``graphs`` may be kept."""
        steps = in_steps(graphs, PREDICTION_BATCH)
        outputs = []
        for packed in self._prediction_chunks(graphs, steps):
            for number in range(packed.steps):
                self.predicting.run(packed, number)
                outputs.append(self.infer.output.clone())
            del packed
        return by_replicate(torch.cat(outputs, 1)[:, : graphs.shape[1]], graphs)

    def _prediction_chunks(self, graphs: Tensor, steps: Tensor) -> Iterator[Packed]:
        if graphs in self.kept and self.kept[graphs].places != self.predicting.places:
            del self.kept[graphs]
        if graphs in self.kept:
            yield self.kept[graphs]
            return
        for packed in self._chunks(self.predicting, steps, self.predicted_at_once):
            if self.keeps and len(steps) <= self.predicted_at_once:
                self.kept[graphs] = packed
            yield packed
            del packed

    def _chunks(
        self, stage: RecordedStep, steps: Tensor, at_once: int, epoch: int = 0
    ) -> Iterator[Packed]:
        """Pack the steps [S, R, B] of an epoch, ``at_once`` at a time; ``stage`` is made to fit."""
        steps, keys = self._with_keys(steps, epoch)
        for start in range(0, len(steps), at_once):
            here = slice(start, start + at_once)
            yield self._pack(stage, steps[here], keys[here])

    def _with_keys(self, steps: Tensor, epoch: int) -> tuple[Tensor, Tensor]:
        """Steps, and the keys [S, R] of their noise, where the data lie."""
        keys = step_keys(self.eager.replicates, epoch, len(steps)).to(self.data.rows.device)
        return steps.to(keys.device), keys

    def _pack(self, stage: RecordedStep, steps: Tensor, keys: Tensor) -> Packed:
        packed = self._built(stage, steps, keys)
        self._fit(stage, packed, steps)
        return packed

    def _built(self, stage: RecordedStep, steps: Tensor, keys: Tensor) -> Packed:
        """Pack steps; the sizes of ``stage`` grow to hold them."""
        pinned = steps.device.type == "cpu" and self.device.type == "cuda"
        batches, stage.sizes = stack(self.data, steps, stage.sizes, self.device.type == "cuda")
        return Packed.of(StepInput(batches, keys), pinned)

    def _fit(self, stage: RecordedStep, packed: Packed, steps: Tensor) -> None:
        """Let ``stage`` be recorded for the shapes of ``packed``, if it is for others."""
        if packed.places == stage.places:
            return
        nothing = torch.full_like(steps[:1], -1)
        batches, _ = stack(self.data, nothing, stage.sizes, self.device.type == "cuda")
        like = StepInput(batches, nothing[..., 0])
        stage.prepare(like, Packed.of(like), self.device)


def in_steps(graphs: Tensor, size: int) -> Tensor:
    """Cut lists [R, L] into batches [S, R, B]; the last batch is filled up with -1."""
    replicates, length = graphs.shape
    steps = -(-length // size)
    filled = pad(graphs, (0, steps * size - length), value=-1)
    return filled.view(replicates, steps, size).transpose(0, 1).contiguous()
