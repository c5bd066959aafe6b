"""Predictions of a trained model for given graphs."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from pdf_search.graphs import GraphSet, build_bank
from pdf_search.inference.load import Trained
from pdf_search.model import engine_data
from pdf_search.training import keep_freed_memory, probabilities

BATCH = 64  # graphs: what lies between layers of more is returned to the system and cleared again


def predictions(trained: Trained, graphs: GraphSet) -> NDArray[np.float64]:
    """Predict ``graphs`` with each replicate, [R, G, outputs].

    A prediction is a value in the unit of the target, or the probability of a class or label; it is
    nan where the model's output is not finite. The graphs must be featurised as the training data
    were; their targets are ignored.
    """
    keep_freed_memory()
    config, cpu = trained.config, torch.device("cpu")
    mean, std = (scale[list(trained.numbers)] for scale in (trained.facts.mean, trained.facts.std))
    data = engine_data(config.engine, config.model, graphs, build_bank(graphs, config.basis), cpu)
    outputs = []
    with torch.no_grad():
        for start in range(0, len(graphs), BATCH):
            numbers = torch.arange(start, min(start + BATCH, len(graphs)))
            batch = data.collate(numbers.expand(len(trained.replicates), -1).contiguous())
            outputs.append(trained.model(batch, data.rows, data.edge_types) * std + mean)
    rows = torch.cat(outputs, 1)
    rows[~rows.isfinite()] = torch.nan  # an output that overflowed would be a probability of 1
    if trained.calibration is not None:
        rows = rows / trained.calibration.temperature
    return np.asarray(probabilities(trained.facts.info.task, rows).numpy())
