"""Training and prediction in steps of one shape: many are built at once, then each is replayed.

Legend: S steps, R replicates, B graph slots, L graphs of a replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from pdf_search.kernels import fold_in
from pdf_search.model import FastBatch, FastData, Sizes, replicate_keys, stack
from pdf_search.training.cuda_graph.packed_steps import ByteRange, Packed, views
from pdf_search.training.cuda_graph.replay import Replay, Step
from pdf_search.training.replicate_trainer import PREDICTION_BATCH, ReplicateTrainer, by_replicate


@dataclass(frozen=True)
class StepInput:
    """What one step reads: its batch, and the random keys of its noise."""

    batch: FastBatch
    keys: Tensor  # [R] of the step's noise


class RecordedStep:
    """A step, the buffer that it reads, and the function that replays it.

    The first stack of steps decides the shapes. A stack that needs more room gets a new buffer and
    a new recording.
    """

    def __init__(self, step: Callable[[StepInput], None], replay: Replay) -> None:
        self.step = step
        self.record = replay
        self.sizes = Sizes()
        self.places: tuple[ByteRange, ...] = ()
        self.replay: Step | None = None

    def prepare(self, like: StepInput, empty: Packed, device: torch.device) -> None:
        """Allocate the buffer and record the step.

        ``like``: a step without graphs, which gives the structure. ``empty``: the same step,
        packed. Without graphs the runs before recording change nothing.
        """
        self.replay = None  # frees the memory of an earlier recording
        self.places = empty.places
        self.row = empty.rows[0].to(device, copy=True)
        self.replay = self.record(lambda: self.step(views(like, self.row, self.places)))

    def run(self, packed: Packed, number: int) -> None:
        """Copy step ``number`` into the buffer and replay it."""
        assert self.replay is not None
        self.row.copy_(packed.rows[number], non_blocking=True)
        self.replay()


class CudaGraphTrainer:
    """A trainer whose steps all have one shape, so that each is one replay.

    ``at_once``: the number of training steps that are built at once. The data may lie in host
    memory; then batches are built there and copied from pinned memory.
    """

    def __init__(self, eager: ReplicateTrainer, replay: Replay, at_once: int) -> None:
        assert isinstance(eager.data, FastData)
        self.eager = eager
        self.data = eager.data
        self.at_once = at_once
        share = eager.training.batch_size / PREDICTION_BATCH
        self.predicted_at_once = max(1, int(at_once * share))
        self.device = eager.mean.device
        self.rate = torch.zeros((), device=self.device)
        self.total = eager.mean.new_zeros(len(eager.replicates))
        self.output = eager.mean.new_zeros(0)
        self.learning = RecordedStep(self._learn, replay)
        self.predicting = RecordedStep(self._infer, replay)
        self.kept: dict[Tensor, Packed] = {}

    def train_epoch(self, epoch: int, graphs: Tensor, rate: float) -> Tensor:
        """See ``ReplicateTrainer.train_epoch``."""
        self.rate.fill_(rate)
        self.total.zero_()
        size = min(self.eager.training.batch_size, graphs.shape[1])
        steps = in_steps(graphs, size)
        for packed in self._chunks(self.learning, steps, self.at_once, epoch):
            for number in range(packed.steps):
                self.learning.run(packed, number)
        return self.total / (graphs >= 0).sum(1)

    def predict(self, graphs: Tensor) -> list[Tensor]:
        """See ``ReplicateTrainer.predict``. Packed batches of ``graphs`` are kept if they fit."""
        steps = in_steps(graphs, PREDICTION_BATCH)
        outputs = []
        for packed in self._prediction_chunks(graphs, steps):
            for number in range(packed.steps):
                self.predicting.run(packed, number)
                outputs.append(self.output.clone())
        return by_replicate(torch.cat(outputs, 1)[:, : graphs.shape[1]], graphs)

    def _learn(self, step: StepInput) -> None:
        self.total += self.eager.learn(step.batch, step.keys, self.rate)

    def _infer(self, step: StepInput) -> None:
        self.output = self.eager.infer(step.batch)

    def _prediction_chunks(self, graphs: Tensor, steps: Tensor) -> Iterator[Packed]:
        kept = self.kept.get(graphs)
        if kept is not None and kept.places == self.predicting.places:
            yield kept
            return
        for packed in self._chunks(self.predicting, steps, self.predicted_at_once):
            if len(steps) <= self.predicted_at_once:
                self.kept[graphs] = packed
            yield packed

    def _chunks(
        self, stage: RecordedStep, steps: Tensor, at_once: int, epoch: int = 0
    ) -> Iterator[Packed]:
        """Pack the steps [S, R, B] of an epoch, ``at_once`` at a time; ``stage`` is made to fit."""
        keys = replicate_keys(self.eager.replicates, epoch).to(self.data.rows.device)
        steps = steps.to(keys.device)
        numbers = torch.arange(len(steps), device=keys.device)
        keys = fold_in(keys, numbers[:, None])
        for start in range(0, len(steps), at_once):
            here = slice(start, start + at_once)
            yield self._pack(stage, steps[here], keys[here])

    def _pack(self, stage: RecordedStep, steps: Tensor, keys: Tensor) -> Packed:
        pinned = steps.device.type == "cpu" and self.device.type == "cuda"
        chunks = self.device.type == "cuda"
        batches, stage.sizes = stack(self.data, steps, stage.sizes, chunks)
        packed = Packed.of(StepInput(batches, keys), pinned)
        if packed.places != stage.places:
            nothing = torch.full_like(steps[:1], -1)
            batches, _ = stack(self.data, nothing, stage.sizes, chunks)
            like = StepInput(batches, keys[:1])
            stage.prepare(like, Packed.of(like), self.device)
        return packed


def in_steps(graphs: Tensor, size: int) -> Tensor:
    """Cut lists [R, L] into batches [S, R, B]; the last batch is filled up with -1."""
    replicates, length = graphs.shape
    steps = -(-length // size)
    filled = pad(graphs, (0, steps * size - length), value=-1)
    return filled.view(replicates, steps, size).transpose(0, 1).contiguous()
