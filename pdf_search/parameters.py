"""The number of learnable parameters of a configuration, computed without torch."""

from __future__ import annotations

from itertools import pairwise

from pdf_search.config import CategoricalInput, InputShape, LinearInput, ModelConfig, NoInput


def parameter_count(model: ModelConfig, basis_size: int, shape: InputShape) -> int:
    """Count the learnable parameters of one replicate; the tests compare it with the model.

    ``basis_size`` is m, the number of basis matrices including the identity. ``shape`` gives the
    input features and the number of outputs.
    """
    d = model.hidden
    total = _input_parameters(shape.nodes, d) + _input_parameters(shape.edges, d)
    norm = 2 * d if model.ffn_norm else 0
    total += model.layers * 2 * (_linear(d, d) + norm)
    if model.architecture == "pdf":
        total += _filter_parameters(model, basis_size) + model.layers * _linear(d, d)
    total += _linear(d, shape.outputs) + (_linear(d, d) if model.head == "mlp" else 0)
    return total


def _linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def _input_parameters(spec: CategoricalInput | LinearInput | NoInput, d: int) -> int:
    if isinstance(spec, CategoricalInput):
        return sum(spec.sizes) * d
    return _linear(spec.features, d) if isinstance(spec, LinearInput) else 0


def _filter_parameters(model: ModelConfig, basis_size: int) -> int:
    if model.filter == "fixed":
        return 0
    width = model.hidden if model.channels == "idp" else 1
    widths = [basis_size, model.hidden, width] if model.filter == "2l" else [basis_size, width]
    weights = sum(a * b for a, b in pairwise(widths))
    constants = model.filter_bias + 2 * model.filter_norm  # a channel
    return weights + constants * sum(widths[1:])
