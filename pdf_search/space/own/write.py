"""Writes the text of a space for data of one's own, and the text of any space as it is searched."""

from __future__ import annotations

from typing import Any

import yaml

from pdf_search.data import OWN_METRICS, OwnData
from pdf_search.records import Task
from pdf_search.space.own.rule import LARGE, size_for
from pdf_search.space.space import Space

_TEMPLATE = """\
# Written for {graphs} graphs and the task {task}. To search something else, change it and
# give this file to pdf-search sweep.
description: {name}, {graphs} graphs of a file of one's own
data: {data}
metric: {metric}
protocol: split
budget:
  trials: {trials}
  method: tpe+asha
  confirm: {{top_k: {winners}, seeds: {seeds}}}
limits:
  - parameters <= {parameters}

basis:
  choice:
    four powers:
      eps: [-0.1, -0.3, -0.5]
      k: {{low: 1, high: 4}}
{pairs}    fourth powers:
      eps: [-0.1, -0.2, -0.3, -0.4, -0.5]
      k: 4
{pairs}    window:
      eps:
        low: {{range: [-0.5, -0.1], step: 0.1}}
        high: {{range: [-0.5, -0.1], step: 0.1}}
        step: 0.1
      k:
        low: 1
        high: {{range: [2, 5]}}
{pairs}{window}      select: {{choice: [compact, full]}}
model:
  hidden: {{choice: {hidden}}}
  layers: {{range: {layers}}}
  filter: {{choice: [2l, lin]}}
  channels: {{choice: [idp, shd]}}
  filter_norm: {{choice: [true, false]}}
  softmax: {softmax}
  activation: gelu
  ffn_activation: gelu
  ffn_norm: true
  dropout: {{choice: {dropout}}}
  readout: {{choice: {readout}}}
  head: linear
training:
  epochs: {epochs}
  batch_size: {batch}
  learning_rate: {{range: [7e-4, 4e-3], log: true}}
  weight_decay: {{choice: [0.0, 1e-4, 1e-2]}}
  schedule: {{kind: cosine, warmup: 3}}
"""
_ALIKE = "false # nodes have no features that differ: with a softmax they stay alike"
_STANDARDISED = "  standardise_targets: true # metrics are in the unit of the file all the same\n"


def own_space_text(own: OwnData) -> str:
    """Return the YAML text of the space for data of one's own."""
    size = size_for(own.graphs)
    regression = own.task is Task.REGRESSION
    text = _TEMPLATE.format(
        name=own.name,
        graphs=f"{own.graphs:,}",
        task=own.task,
        data=_flow(own.data),
        metric=OWN_METRICS[own.task],
        trials=size.trials,
        winners=size.winners,
        seeds=size.seeds,
        parameters=f"{size.parameters:_}",
        hidden=list(size.hidden),
        layers=list(size.layers),
        pairs="" if (own.nodes or 0) <= LARGE else "      support: {hops: 3}\n",
        window="" if own.nodes is None else "      standardise: {choice: [false, true]}\n",
        softmax=_ALIKE if own.alike else "{choice: [true, false]}",
        readout="[mean, sum]" if own.nodes is None else "[mean, sum, max]",
        dropout="[0.0, 0.1]" if regression else "[0.1, 0.0, 0.3]",
        epochs=size.epochs,
        batch=size.batch[0] if len(size.batch) == 1 else f"{{choice: {list(size.batch)}}}",
    )
    return text + (_STANDARDISED if regression else "")


def searched_text(space: Space) -> str:
    """Return the YAML text of a space as it is searched, with every ``--set`` in it."""
    head = (
        f"# The space of this sweep ({space.source}), as it is searched.\n"
        "# A copy of this file can be changed and searched: pdf-search sweep ./copy.yaml\n"
    )
    tree = {key: value for key, value in space.definition.items() if value not in (None, [], ())}
    return head + yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=100)


def _flow(data: dict[str, Any]) -> str:
    """A mapping on one line, every text of the user's quoted as far as YAML needs it."""
    text = yaml.safe_dump(
        data, sort_keys=False, allow_unicode=True, default_flow_style=True, width=2**20
    )
    return text.strip()
