"""Measures the products of a data set's bases on training graphs, once, and caches them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.atomic import whole_file
from pdf_search.config import BasisConfig, TrialConfig
from pdf_search.data.prepared.build import array_hash
from pdf_search.data.prepared.cache import cache_folder
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.raw.raw_set import Progress, silent
from pdf_search.data.splits.split_parts import split_for
from pdf_search.errors import DataError
from pdf_search.graphs import BasisMoments
from pdf_search.paths import SET_CACHE
from pdf_search.records import Phase
from pdf_search.wording import counted

FORMAT = 1  # of the file; after a change, older ones are not used
MOST_PAIRS = 250_000  # node pairs that are measured; a larger set is sampled by graph
SEED = 0  # of the order in which graphs are sampled


def training_graphs(data: Prepared, config: TrialConfig) -> NDArray[np.int64]:
    """Return the graphs that train some replicate of a search, sorted; no labels are looked at."""
    # A graph that one fold holds out trains in others, so with folds nearly all are returned: the
    # bases of a trial are those of all its folds, and only the structure of the graphs counts.
    search = config.model_copy(update={"phase": Phase.SEARCH})
    folds = {replicate.fold: replicate for replicate in search.replicates}
    parts = [split_for(data, search, replicate).train for replicate in folds.values()]
    return np.unique(np.concatenate(parts))


def cached_moments(
    data: Prepared,
    basis: BasisConfig,
    graphs: NDArray[np.int64],
    progress: Progress | None = None,
) -> BasisMoments:
    """Return the mean products of ``basis`` over the node pairs of some graphs of a data set.

    More than ``MOST_PAIRS`` pairs are sampled by graph. ``progress`` is called with a sentence
    before anything is computed.

    Raises:
        DataError: The cache cannot be written.
    """
    root = cache_folder(data.folder.parents[1] if data.folder.exists() else None)
    file = root / "moments" / f"{_key(data, basis, graphs)}.json"
    known = _read(file, basis)
    if known is not None:
        return known
    sample = _sample(data, basis, graphs)
    some = "" if len(sample) == len(graphs) else f"{len(sample):,} of "
    (progress or silent)(
        f"comparing {counted(len(basis.grid), 'basis', 'bases')} on {some}{data.info.title}'s "
        f"{counted(len(graphs), 'training graph')}, {_words(basis)}"
    )
    # Imported here because building needs torch and reading does not.
    from pdf_search.graphs import build_bank, moments_of  # noqa: PLC0415

    moments = moments_of(build_bank(data.graphs.subset(sample), basis))
    _write(file, moments, data.fingerprint)
    return moments


def _sample(data: Prepared, basis: BasisConfig, graphs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Graphs in random order until they have ``MOST_PAIRS``, sorted; at least one.

    A graph that has more by itself is passed over, unless all have: then it is the smallest.
    """
    chosen, pairs = [], 0
    for graph in np.random.default_rng(SEED).permutation(graphs):
        count = _supported(data, basis, int(graph))
        if count > MOST_PAIRS:
            continue
        pairs += count
        if pairs > MOST_PAIRS:
            break
        chosen.append(int(graph))
    smallest = graphs[np.argmin(data.graphs.node_count[graphs])]
    return np.array(sorted(chosen) or [smallest], np.int64)


def _supported(data: Prepared, basis: BasisConfig, graph: int) -> int:
    nodes = int(data.graphs.node_count[graph])
    if basis.hops is None:
        return nodes**2
    from pdf_search.graphs import count_near_pairs  # noqa: PLC0415

    first, last = data.graphs.edge_ptr[graph : graph + 2]
    return count_near_pairs(nodes, np.asarray(data.graphs.edges[:, first:last]), basis)


def _words(basis: BasisConfig) -> str:
    support = "all pairs" if basis.hops is None else counted(basis.hops, "hop")
    return f"{support}, standardised" if basis.standardise else support


def _key(data: Prepared, basis: BasisConfig, graphs: NDArray[np.int64]) -> str:
    """A hash of everything that decides the products; a file is therefore never out of date."""
    bases = [basis.grid, basis.diagonals, basis.hops, basis.standardise]
    known = [FORMAT, data.fingerprint, array_hash(graphs), bases, MOST_PAIRS, SEED]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]


def _read(file: Path, basis: BasisConfig) -> BasisMoments | None:
    """The products in a file; None if it is missing or damaged."""
    try:
        tree: dict[str, Any] = json.loads(file.read_text())
        products = np.array(tree["products"], np.float64)
        graphs, pairs = int(tree["graphs"]), int(tree["pairs"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if products.shape != (basis.size + 1, basis.size + 1):
        return None
    return BasisMoments(basis.grid, basis.diagonals, products, graphs, pairs)


def _write(file: Path, moments: BasisMoments, fingerprint: str) -> None:
    tree = {
        "data": fingerprint,  # for the list of the cache
        "products": moments.products.tolist(),
        "graphs": moments.graphs,
        "pairs": moments.pairs,
    }
    try:
        with whole_file(file) as part:
            part.write_text(json.dumps(tree))
    except OSError as error:
        raise DataError(
            f"{file.parent} cannot be written ({error}): {SET_CACHE} with room"
        ) from None
