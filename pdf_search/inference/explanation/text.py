"""An explanation in words: what was explained, and how to read each plot."""

from __future__ import annotations

from pdf_search.inference.explanation.explain import Explanation
from pdf_search.wording import counted

SECTIONS = {
    "matrices": (
        "The learned matrix",
        "f(G) as the layers multiply with it: row v receives, column u sends. The constant part, "
        "the value that every pair gets whatever the bases say, is taken off and named apart.",
    ),
    "spectrum": (
        "Its eigenvectors against those of the normalised adjacency",
        "A dot for each eigenvector of f(G) without its constant part: its eigenvalue, and its "
        "principal angle to the nearest eigenspace of D~^-1/2 A~ D~^-1/2. Equal eigenvalues count "
        "as one eigenspace. A filter on a fixed decomposition stays at 0 degrees.",
    ),
    "eigenspaces": (
        "Where its eigenspaces lie",
        "Share of each eigenspace of f(G) (columns) in each eigenspace of the normalised adjacency "
        "(rows); a column adds up to 1. A filter on a fixed decomposition has columns whose weight "
        "lies in whole eigenspaces; a learned decomposition spreads it.",
    ),
    "depth": (
        "Smoothness through depth",
        "x^T L x per unit norm of every hidden channel (L = I - D~^-1/2 A~ D~^-1/2), and the mean "
        "absolute cosine similarity between channels. Depth 0 is after the encoder.",
    ),
    "response": (
        "The filter's response",
        "f at the distinct basis rows, against one basis.",
    ),
    "weights": (
        "What each (eps, k) explains",
        "Least squares of f on the bases, each row counted by its pairs. Neighbouring (eps, k) are "
        "nearly interchangeable: several may explain much alone, and a greedy choice needs few.",
    ),
}


IMPORTANCE = (
    "Over all replicates of the run, after training: the filter is replaced by its least-squares "
    "fit on one basis, the identity always in, and the last linear layer is fitted anew to "
    "training graphs. The share is how much of what all bases save in left-out error one basis "
    "keeps."
)


def sections_of(found: Explanation) -> dict[str, tuple[str, str]]:
    """Head and text of each section of the page, by the name of its figure."""
    if found.importance is None:
        return SECTIONS
    text = f"{found.importance.sentence()} {IMPORTANCE}"
    return {**SECTIONS, "importance": ("Which (eps, k) the network needs", text)}


def headline(found: Explanation) -> str:
    """Describe in a paragraph which model, which weights and which graph are explained."""
    trained = found.trained
    model, replicate = trained.config.model, trained.replicates[0]
    fold = "" if replicate.fold is None else f", fold {replicate.fold}"
    bonds = counted(found.edges.shape[1] // 2, "bond")
    softmax = ", softmax" if model.softmax else ""
    return (
        f"{trained.facts.info.title}: {model.channels} {model.filter}{softmax}, "
        f"{len(found.basis_names)} bases, weights of the {trained.chosen} ({trained.epochs[0]}), "
        f"replicate {trained.numbers[0]} (seed {replicate.seed}{fold}). Graph {found.graph} of the "
        f"{found.part} part: {counted(found.nodes, 'node')}, {bonds}. Filter "
        f"response over {counted(len(found.response.graphs), 'graph')} of that part, "
        f"{counted(len(found.response.rows), 'distinct row')}."
    )
