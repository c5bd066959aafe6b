"""An explanation as tables and plain data; no number is rounded."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from pdf_search.inference.explanation.explain import Explanation


def channel_table(found: Explanation) -> pd.DataFrame:
    """One row per channel of f(G), with the columns of ``ChannelFacts``.

    ``shown``: whether it is one of the chosen channels.
    """
    table = pd.DataFrame([asdict(fact) for fact in found.channels])
    return table.assign(shown=table["channel"].isin([detail.channel for detail in found.chosen]))


def spectrum_table(found: Explanation) -> pd.DataFrame:
    """One row per eigenvector of f(G) without its constant part, for the chosen channels.

    Rows with equal ``eigenspace`` have equal eigenvalues. ``angle``: degrees to the nearest
    eigenspace of the normalised adjacency, whose eigenvalue is ``nearest``. ``eigenvalue_full``:
    the eigenvalues of f(G) with its constant part, ascending too, but not of the same vectors.
    """
    frames = [
        pd.DataFrame(
            {
                "channel": detail.channel,
                "eigenvalue": detail.spaces.values,
                "eigenspace": detail.spaces.group,
                "angle": detail.turn.angles,
                "nearest": detail.turn.nearest,
                "eigenvalue_full": detail.spectrum,
            }
        )
        for detail in found.chosen
    ]
    return pd.concat(frames, ignore_index=True)


def signal_table(found: Explanation) -> pd.DataFrame:
    """One row per depth (0: after the encoder) and hidden channel; see ``Signals``."""
    depths, channels = found.signals.norm.shape
    return pd.DataFrame(
        {
            "depth": np.repeat(np.arange(depths), channels),
            "channel": np.tile(np.arange(channels), depths),
            "quadratic": found.signals.quadratic.ravel(),
            "squared_norm": found.signals.norm.ravel(),
            "smoothness": found.signals.smoothness.ravel(),
        }
    )


def depth_table(found: Explanation) -> pd.DataFrame:
    """One row per depth: smoothness over the channels that are not zero, similarity of channels.

    ``smoothness_low``, ``_median``, ``_high``: the quantiles 0.1, 0.5 and 0.9 over channels.
    """
    smoothness = found.signals.smoothness
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice encountered")
        low, middle, high = np.nanquantile(smoothness, (0.1, 0.5, 0.9), axis=1)
    return pd.DataFrame(
        {
            "depth": np.arange(len(smoothness)),
            "channels": (~np.isnan(smoothness)).sum(1),
            "smoothness_low": low,
            "smoothness_median": middle,
            "smoothness_high": high,
            "similarity": found.signals.similarity(),
        }
    )


def response_table(found: Explanation) -> pd.DataFrame:
    """One row per distinct basis row: its number of pairs, its bases, f in the chosen channels."""
    over = found.response
    columns: dict[str, Any] = {"pairs": over.pairs}
    columns |= {f"basis {n}": over.rows[:, i] for i, n in enumerate(found.basis_names)}
    columns |= {f"f {d.channel}": over.outputs[:, d.channel] for d in found.chosen}
    return pd.DataFrame(columns)


def weight_table(found: Explanation) -> pd.DataFrame:
    """One row per basis; see ``BasisWeights``.

    ``pick``: place of the basis in the greedy choice, from 1. ``explained``: the share that the
    picks explain up to this one.
    """
    weights, basis = found.weights, found.trained.config.basis
    others = [None] * len(basis.diagonals)
    place = {pick: number for number, pick in enumerate(weights.picks)}
    bases = range(len(found.basis_names))
    table = pd.DataFrame(
        {
            "basis": found.basis_names,
            "eps": [None, *(eps for eps, _ in basis.grid), *others],
            "k": pd.array([None, *(k for _, k in basis.grid), *others], dtype="Int64"),
            "effect": weights.effect,
            "alone": weights.alone,
            "pick": pd.array([place[b] + 1 if b in place else None for b in bases], dtype="Int64"),
            "explained": [weights.explained[place[b]] if b in place else np.nan for b in bases],
        }
    )
    names = {f"weight {d.channel}": weights.coefficients[:, d.channel] for d in found.chosen}
    return table.assign(**names)


def arrays(found: Explanation) -> dict[str, np.ndarray]:
    """The matrices of ``matrices.npz``.

    Legend: c chosen channels, n nodes, s depths, h hidden channels, m bases, d channels of the
    filter, p eigenspaces (of N, the normalised adjacency, or of f(G)).
    """
    shares = {f"shares_{d.channel}": d.turn.shares for d in found.chosen}  # [p of N, p of f(G)]
    return shares | {
        "channels": np.array([d.channel for d in found.chosen]),
        "full": np.stack([d.full for d in found.chosen]),  # [c, n, n]
        "structure": np.stack([d.structure for d in found.chosen]),  # [c, n, n]
        "constant": np.array([d.constant for d in found.chosen]),  # [c]
        "eigenvectors": np.stack([d.spaces.vectors for d in found.chosen]),  # [c, n, n] columns
        "support": found.support,  # [n, n]
        "adjacency": found.adjacency,  # [n, n] normalised
        "edges": found.edges,  # [2, E]
        "states": found.signals.states,  # [s, n, h]
        "cosine": found.signals.cosine,  # [s, h, h]
        "coefficients": found.weights.coefficients,  # [m, d]
        "share_by_channel": found.weights.share_by_channel,  # [d]
        "response_graphs": found.response.graphs,
    }


def summary(found: Explanation) -> dict[str, Any]:
    """What was explained, and its main numbers."""
    trained, weights = found.trained, found.weights
    replicate, table, depth = trained.replicates[0], channel_table(found), depth_table(found)
    over = ("commutator", "commutator_full", "outside", "angle_weighted", "angle_max", "asymmetry")
    return {
        "data": trained.facts.info.title,
        "basis": list(found.basis_names),
        "support": "dense" if trained.config.basis.hops is None else trained.config.basis.hops,
        "filter": trained.config.model.filter,
        "channels": len(found.channels),
        "softmax": trained.config.model.softmax,
        "replicate": trained.numbers[0],
        "seed": replicate.seed,
        "fold": replicate.fold,
        "epoch": trained.epochs[0],
        "weights_of": trained.chosen,
        "graph": found.graph,
        "part": found.part,
        "nodes": found.nodes,
        "bonds": found.edges.shape[1] // 2,
        "over_channels": {
            name: {
                "median": table[name].median(),
                "min": table[name].min(),
                "max": table[name].max(),
            }
            for name in over
        },
        "chosen": [asdict(found.channels[detail.channel]) for detail in found.chosen],
        "smoothness": depth["smoothness_median"].tolist(),
        "similarity": depth["similarity"].tolist(),
        "response_graphs": len(found.response.graphs),
        "response_rows": len(found.response.rows),
        "response_pairs": int(found.response.pairs.sum()),
        "linear_share": weights.share,
        "picks": [
            {"basis": found.basis_names[basis], "explained": share}
            for basis, share in zip(weights.picks, weights.explained.tolist(), strict=True)
        ],
        "importance": found.importance and found.importance.sentence(),
    }
