"""Trained models small enough for seconds, and models on graphs made here."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pdf_search.config import BasisConfig, DataConfig, ModelConfig, TrialConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.inference.load import Trained
from pdf_search.model.network import PDFNetwork
from pdf_search.records import Replicate
from pdf_search.training.artifacts.excerpt import Excerpt
from pdf_search.training.artifacts.facts import ModelFacts
from pdf_search.training.replicates import ReplicateSplits
from tests.graphs.makers import shape_of
from tests.training.trials import made

torch.set_num_threads(1)  # the tensors are tiny: threads cost more than they bring


def new_model(
    graphs: GraphSet, basis: BasisConfig, replicates: tuple[Replicate, ...] = (), **model: object
) -> Trained:
    """A model at its start, as if trained on these graphs."""
    replicates = replicates or (Replicate(0),)
    config = TrialConfig(
        data=DataConfig(name="made"),
        basis=basis,
        model=ModelConfig(**{"hidden": 8, "layers": 2, **model}),  # type: ignore[arg-type]
        seeds=tuple(replicate.seed for replicate in replicates),
        phase="confirm",
        engine="reference",
    )
    network = PDFNetwork(config.model, shape_of(graphs), basis.size, replicates).eval()
    numbers = list(range(len(graphs)))
    data = made(graphs, numbers, numbers, numbers)
    places = tuple(range(len(replicates)))
    facts = ModelFacts.of(config, data, ReplicateSplits.of(config, data))
    epochs = (1,) * len(places)
    return Trained(
        config,
        facts,
        network,
        replicates,
        places,
        epochs,
        "last epoch",
        Excerpt.of(config, data),
        data,
    )


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def mutag(excerpts: Path, cache: Path) -> Prepared:
    return load_prepared(prepare(DataConfig(name="mutag"), excerpts, cache))
