"""What a trained model has learned on one graph: the data behind ``pdf-search explain``.

Legend: n nodes, d channels of the filter (1 if shared), c chosen channels, h hidden channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pdf_search.errors import ConfigError, TrialError
from pdf_search.graphs import DeviceData, GraphSet, build_bank
from pdf_search.inference.explanation.matrix import (
    LearnedMatrix,
    learned_matrix,
    normalised_adjacency,
)
from pdf_search.inference.explanation.response import (
    BasisWeights,
    Response,
    basis_weights,
    response,
)
from pdf_search.inference.explanation.smoothness import Signals, signals
from pdf_search.inference.explanation.spectrum import (
    Eigenspaces,
    PrincipalAngles,
    asymmetry,
    commutator,
    outside,
    turn,
)
from pdf_search.inference.load import Trained
from pdf_search.results import ImportanceMap

Floats = NDArray[np.float64]

MAX_NODES = 600  # the eigenvectors of every channel are computed, which takes O(n^3)
SHOWN_CHANNELS = 4


@dataclass(frozen=True)
class ChannelFacts:
    """Measurements of one channel of f(G).

    ``constant`` is the value of its constant part (see ``matrix``). Except for ``norm`` and
    ``commutator_full``, the other fields are computed without that part. Angles are in degrees.
    ``angle_weighted`` is their mean, weighted by the squared eigenvalues: directions that f(G)
    barely uses count little.
    """

    channel: int
    norm: float
    constant: float
    norm_structure: float
    asymmetry: float
    commutator: float
    commutator_full: float
    outside: float
    angle_median: float
    angle_max: float
    angle_weighted: float


@dataclass(frozen=True)
class ChannelDetail:
    """A chosen channel with its matrices.

    ``spaces`` and ``turn`` are computed from ``structure``, which is f(G) without its constant
    part. ``spectrum`` is computed from all of f(G).
    """

    channel: int
    full: Floats  # [n, n]
    structure: Floats  # [n, n]
    constant: float
    spectrum: Floats  # [n] eigenvalues of the symmetric part of f(G)
    spaces: Eigenspaces
    turn: PrincipalAngles


@dataclass(frozen=True)
class Explanation:
    """Everything that is computed for one graph, to be written and drawn."""

    trained: Trained
    graph: int
    part: str  # the part that the graphs of ``response`` are from; ``graph`` too, by default
    edges: NDArray[np.int32]  # [2, E] of the graph, both directions
    support: NDArray[np.bool_]  # [n, n]
    adjacency: Floats  # [n, n] D~^-1/2 A~ D~^-1/2
    reference: Eigenspaces  # of ``adjacency``
    channels: tuple[ChannelFacts, ...]
    chosen: tuple[ChannelDetail, ...]
    signals: Signals
    response: Response
    weights: BasisWeights

    @property
    def nodes(self) -> int:
        """Number of nodes of the graph, n."""
        return len(self.adjacency)

    @property
    def importance(self) -> ImportanceMap | None:
        """The importance map that the run recorded; None if there is none."""
        tree = self.trained.importance
        return None if tree is None else ImportanceMap.of(tree)

    @property
    def basis_names(self) -> tuple[str, ...]:
        """Names of the entries of a basis row, [m]."""
        return ("identity", *self.trained.config.basis.names[1:])


def explain(
    trained: Trained, graph: int | None = None, channels: Sequence[int] | None = None
) -> Explanation:
    """Explain the first replicate of ``trained`` on a graph.

    ``graph`` is a number in the data set. By default it is the first graph of the validation part;
    without one, of the test part, else of the training part. ``channels`` are shown in detail. By
    default they are the largest, the smallest and two in between, ordered by the norm of f(G)
    without its constant part.

    Raises:
        ConfigError: there is no such graph or channel, or the graph is too large.
        TrialError: the weights are not finite, because the run diverged.
    """
    _check_finite(trained)
    part, numbers = trained.part()
    number = int(numbers[0]) if graph is None else graph
    one = _one_graph(trained, number)
    learned = learned_matrix(trained, one)
    adjacency = normalised_adjacency(one)
    reference = Eigenspaces.of(adjacency)
    facts = tuple(_facts(learned, c, adjacency, reference) for c in range(learned.channels))
    chosen = _chosen(facts, channels)
    over = response(trained, numbers)
    return Explanation(
        trained=trained,
        graph=number,
        part=part,
        edges=np.asarray(one.edges),
        support=learned.support,
        adjacency=adjacency,
        reference=reference,
        channels=facts,
        chosen=tuple(_detail(learned, c, reference) for c in chosen),
        signals=signals(node_states(trained, one), np.eye(len(adjacency)) - adjacency),
        response=over,
        weights=basis_weights(over),
    )


def node_states(trained: Trained, graph: GraphSet) -> Floats:
    """Node states after the encoder and after each layer, [layers + 1, n, h].

    The first replicate computes them with the reference engine in single precision, as in training.
    ``graph`` is a set of one graph.
    """
    cpu = torch.device("cpu")
    data = DeviceData.build(graph, build_bank(graph, trained.config.basis), cpu)
    batch = data.collate(torch.zeros(len(trained.replicates), 1, dtype=torch.int64))
    states: list[torch.Tensor] = []
    with torch.no_grad():
        trained.model(batch, data.rows, data.edge_types, states=states)
    return np.stack([state[0].double().numpy() for state in states])


def _check_finite(trained: Trained) -> None:
    for name, value in trained.model.state_dict().items():
        if not bool(torch.isfinite(value).all()):
            raise TrialError(
                f"the weights {name} are not finite: the run diverged, there is nothing to explain"
            )


def _one_graph(trained: Trained, number: int) -> GraphSet:
    count = trained.facts.graphs
    if not 0 <= number < count:
        raise ConfigError(f"--graph {number}: {trained.facts.info.title} has graphs 0..{count - 1}")
    one = trained.graphs(np.array([number]))
    nodes = int(one.node_count[0])
    if nodes > MAX_NODES:
        raise ConfigError(
            f"graph {number} has {nodes:,} nodes, more than the {MAX_NODES} that can be explained: "
            "choose another with --graph"
        )
    return one


def _facts(
    learned: LearnedMatrix, channel: int, adjacency: Floats, reference: Eigenspaces
) -> ChannelFacts:
    full, structure = learned.full(channel), learned.structure(channel)
    spaces = Eigenspaces.of(structure)
    angles = turn(spaces, reference).angles
    squares = np.square(spaces.values)
    return ChannelFacts(
        channel=channel,
        norm=float(np.linalg.norm(full)),
        constant=float(learned.constant[channel]),
        norm_structure=float(np.linalg.norm(structure)),
        asymmetry=asymmetry(structure),
        commutator=commutator(structure, adjacency),
        commutator_full=commutator(full, adjacency),
        outside=outside(structure, reference),
        angle_median=float(np.median(angles)),
        angle_max=float(angles.max()),
        angle_weighted=float(squares @ angles / squares.sum()) if squares.any() else 0.0,
    )


def _detail(learned: LearnedMatrix, channel: int, reference: Eigenspaces) -> ChannelDetail:
    full, structure = learned.full(channel), learned.structure(channel)
    spaces = Eigenspaces.of(structure)
    return ChannelDetail(
        channel=channel,
        full=full,
        structure=structure,
        constant=float(learned.constant[channel]),
        spectrum=Eigenspaces.of(full).values,
        spaces=spaces,
        turn=turn(spaces, reference),
    )


def _chosen(facts: Sequence[ChannelFacts], wanted: Sequence[int] | None) -> list[int]:
    if wanted is None:
        order = sorted(facts, key=lambda fact: -fact.norm_structure)
        places = np.linspace(0, len(order) - 1, min(SHOWN_CHANNELS, len(order))).round()
        return [order[int(place)].channel for place in places]
    unknown = [channel for channel in wanted if not 0 <= channel < len(facts)]
    if unknown or not wanted:
        shared = " (the filter is shared by all channels)" if len(facts) == 1 else ""
        named = ", ".join(map(str, unknown)) or "none"
        raise ConfigError(f"--channels {named}: there are channels 0..{len(facts) - 1}{shared}")
    return list(dict.fromkeys(wanted))
