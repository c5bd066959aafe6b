"""Building the trainers of a trial: data where memory allows, replicates in groups."""

from __future__ import annotations

import torch

from pdf_search.config import BasisConfig, InputShape, TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.graphs import Bank
from pdf_search.model import EngineData, Network, PDFNetwork, engine_data
from pdf_search.records import Replicate
from pdf_search.training.artifacts.facts import target_scale
from pdf_search.training.cuda_graph.replay import replay_for
from pdf_search.training.cuda_graph.side_stream import SideStream
from pdf_search.training.cuda_graph.trainer import CudaGraphTrainer
from pdf_search.training.device import free_unused
from pdf_search.training.groups import Group, Groups, Trainer
from pdf_search.training.kept_layouts import bank_of, layout_of
from pdf_search.training.memory import check_memory, plan_memory
from pdf_search.training.optimizer import AdamW
from pdf_search.training.replicate_trainer import ReplicateTrainer
from pdf_search.training.replicates import ReplicateSplits


def build_groups(
    config: TrialConfig, data: Prepared, splits: ReplicateSplits, device: torch.device
) -> Groups:
    """Build the trainers of a trial, with as many replicates together as memory allows.

    Raises:
        TrialError: the pairs of the data set do not fit into memory, or not even one replicate.
    """
    if config.model.architecture == "gin":
        eager = build_trainer(config, data, splits, device)
        return Groups([Group.of(splits, eager, eager, device)])
    bank = _bank(config, data, splits)
    free_unused(device)
    plan = plan_memory(config, data, splits, bank, device)
    layout = layout_of(data, config.basis, splits.numbers)
    lists = engine_data(config.engine, config.model, splits.graphs, bank, plan.lists, layout)
    count = len(splits.replicates)
    starts = range(0, count, plan.together)
    longest = max(len(numbers) for numbers in splits.parts["train"])
    steps = config.epochs * -(-longest // config.training.batch_size)
    replay = replay_for(device, steps) if config.engine == "fast" else None
    groups = []
    for start in starts:
        part = splits.group(slice(start, start + plan.together))
        eager = trainer_of(config, data, part, lists, device)
        trainer: Trainer = eager
        if replay is not None:
            side = SideStream() if plan.beside else None
            trainer = CudaGraphTrainer(eager, replay, plan.at_once, plan.kept, side)
        groups.append(Group.of(part, eager, trainer, device))
    return Groups(groups)


def build_trainer(
    config: TrialConfig, data: Prepared, splits: ReplicateSplits, device: torch.device
) -> ReplicateTrainer:
    """Build one trainer for all replicates of a trial, with the data on the device.

    Raises:
        TrialError: the pairs of the data set do not fit into memory.
    """
    if config.model.architecture == "gin":
        from pdf_search.model import GINData  # noqa: PLC0415

        lists: EngineData = GINData.build(splits.graphs, device)
    else:
        bank = _bank(config, data, splits)
        lists = engine_data(config.engine, config.model, splits.graphs, bank, device)
    return trainer_of(config, data, splits, lists, device)


def _bank(config: TrialConfig, data: Prepared, splits: ReplicateSplits) -> Bank:
    check_memory(config, data)
    return bank_of(data, config.basis, splits.numbers, lambda: _wider_basis(config, data))


def _wider_basis(config: TrialConfig, data: Prepared) -> BasisConfig | None:
    """A grid that other trials use too and that covers this trial's, if memory allows.

    One cached bank then serves them all.
    """
    basis = next((wide for wide in data.bases if wide.covers(config.basis)), None)
    if basis is not None:
        try:
            check_memory(config.model_copy(update={"basis": basis}), data)
        except TrialError:
            return None
    return basis


def trainer_of(
    config: TrialConfig,
    data: Prepared,
    splits: ReplicateSplits,
    lists: EngineData,
    device: torch.device,
) -> ReplicateTrainer:
    """Build a trainer for the replicates of ``splits`` on data that lie in ``lists`` already."""
    shape = data.info.shape
    assert shape is not None, "a prepared data set knows its input shape"
    model = _network(config, shape, splits.replicates).to(device)
    mean, std = target_scale(config, data, splits)
    return ReplicateTrainer(
        replicates=splits.replicates,
        model=model,
        optimizer=AdamW(model.parameters(), config.training.weight_decay),
        data=lists,
        rows=lists.rows.to(device),
        edge_types=lists.edge_types.to(device),
        training=config.training,
        task=shape.task,
        mean=mean.to(device),
        std=std.to(device),
    )


def _network(config: TrialConfig, shape: InputShape, replicates: tuple[Replicate, ...]) -> Network:
    if config.model.architecture == "gin":
        from pdf_search.model import GINNetwork  # noqa: PLC0415

        return GINNetwork(config.model, shape, replicates)
    return PDFNetwork(config.model, shape, config.basis.size, replicates)
