"""The settings of a trial's network."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pdf_search.config.frozen import Frozen

Activation = Literal["gelu", "relu"]


class ModelConfig(Frozen):
    """Settings of a PDF network. The three variants of the authors' code can be written with them.

    ``activation`` acts on messages. ``ffn_activation`` acts in the post-transform and in an mlp
    head. Inside the filter the activation is always GELU. ``filter: fixed`` uses the given
    ``coefficients`` in place of learned parameters: one for each place of a basis row, the same for
    all channels. ``filter_bias: false`` adds no constant inside the filter, so that ``lin`` is a
    weighted sum of the bases. ``architecture: gin`` is PyTorch Geometric's GIN with the same width,
    depth, feed-forward part, readout and head, for comparison; it ignores the basis and the filter.
    ``storage: bfloat16``: the fast engine keeps the filter's weights and the messages in half the
    memory, rounded to three digits; their products are summed in float32 all the same.
    """

    architecture: Literal["pdf", "gin"] = "pdf"
    hidden: Annotated[int, Field(ge=1, le=65_536)] = 160
    layers: Annotated[int, Field(ge=1, le=1_000)] = 6
    filter: Literal["lin", "1l", "2l", "fixed"] = "2l"
    coefficients: tuple[float, ...] | None = None
    channels: Literal["idp", "shd"] = "idp"
    filter_bias: bool = True
    filter_norm: bool = False
    softmax: bool = False
    activation: Activation = "gelu"
    ffn_activation: Activation = "gelu"
    ffn_norm: bool = True
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    readout: Literal["mean", "max", "sum"] = "mean"
    head: Literal["linear", "mlp"] = "linear"
    storage: Literal["float32", "bfloat16"] = "float32"

    @model_validator(mode="after")
    def _check(self) -> Self:
        fixed = self.filter == "fixed"
        if fixed != (self.coefficients is not None):
            raise ValueError("filter: fixed and coefficients go together; give both or neither")
        if fixed and (self.channels != "shd" or self.filter_norm):
            raise ValueError(
                "filter: fixed is the same for all channels and has no parameters; "
                "write channels: shd and filter_norm: false"
            )
        if self.architecture == "gin" and self.dropout > 0:
            raise ValueError("architecture: gin has no dropout; write dropout: 0.0")
        if self.filter_norm and not self.filter_bias:
            raise ValueError(
                "filter_bias: false does not go with filter_norm, which adds a constant of its "
                "own; write filter_norm: false"
            )
        return self
