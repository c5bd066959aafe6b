"""compact: which bases it keeps of a data set's grid, on which graphs, and how they are listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdf_search.config import BasisConfig, Hops, TrialConfig
from pdf_search.data import CompactBases, Prepared, split_for
from pdf_search.data.cached_moments import cached_moments
from pdf_search.errors import ConfigError, DataError
from pdf_search.graphs import build_bank, moments_of
from pdf_search.records import Phase
from tests.data.conftest import Load, trial

WIDE = BasisConfig(eps=tuple(-i / 10 for i in range(6)), k=tuple(range(1, 7)))
WINDOW = BasisConfig(eps=(-0.1, -0.3, -0.5), k=(1, 2, 3, 4), select="compact")
EIGHT = {(0, 1), (0, 6), (-0.5, 6), (0, 2), (-0.5, 2), (-0.2, 3), (-0.5, 1), (-0.3, 6)}


@pytest.fixture
def own(freesolv: Prepared, tmp_path: Path) -> Prepared:
    """FreeSolv, with a cache of its own."""
    folder = tmp_path / "prepared" / "freesolv"
    folder.mkdir(parents=True)
    return replace(freesolv, folder=folder)


def compact(**changes: object) -> TrialConfig:
    return trial(basis=WINDOW, **changes)


def test_the_eight_that_were_measured(load_whole: Load) -> None:
    """Measured once with a prototype: the same on molesol as on lipo."""
    data = load_whole("ogbg-molesol")
    whole = trial("ogbg-molesol", protocol="inner", folds=10, phase="search")
    assert set(CompactBases(data, whole).kept(WIDE).grid) == EIGHT


def test_bases_are_listed_and_full(own: Prepared) -> None:
    config = compact(protocol="inner", folds=5)
    listed = CompactBases(own, config).resolved(config)
    assert listed.basis.select == "full"
    assert listed.basis.pairs == listed.basis.grid
    assert len(listed.basis.grid) == 8
    assert set(listed.basis.grid) < set(WINDOW.grid)
    assert listed.model_copy(update={"basis": config.basis}) == config


def test_full_bases_stay_as_they_are(own: Prepared) -> None:
    config = trial()
    assert CompactBases(own, config).resolved(config) is config
    assert not (own.folder.parents[1] / "moments").exists()


def test_support_standardisation_and_diagonals_stay(own: Prepared) -> None:
    basis = WINDOW.model_copy(
        update={"support": Hops(hops=2), "standardise": True, "diagonals": (-0.5,)}
    )
    kept = CompactBases(own, trial()).kept(basis)
    assert (kept.hops, kept.standardise, kept.diagonals) == (2, True, (-0.5,))


def test_a_small_grid_is_kept_whole_and_not_measured(own: Prepared) -> None:
    small = BasisConfig(eps=(-0.1, -0.5), k=(1, 2, 3, 4), select="compact")
    messages: list[str] = []
    kept = CompactBases(own, trial(), progress=messages.append).kept(small)
    assert (kept.grid, messages) == (small.grid, [])


def test_a_window_picks_from_the_wide_grid(own: Prepared) -> None:
    """The widest grid is measured once; a window's choice is that of its own measurement."""
    messages: list[str] = []
    bases = CompactBases(own, trial(), [WIDE], messages.append)
    kept = bases.kept(WINDOW)
    assert bases.kept(WINDOW.model_copy(update={"k": (1, 2, 3, 4, 5)})).size == 9
    assert messages == ["comparing 36 bases on FreeSolv's 513 training graphs, all pairs"]
    assert kept == CompactBases(own, trial()).kept(WINDOW)


def test_only_training_graphs_are_looked_at(own: Prepared) -> None:
    """Neither a validation nor a test graph, in either phase; with folds, all graphs train."""
    config = trial(phase="confirm")
    parts = split_for(own, config, config.replicates[0])
    assert CompactBases(own, config).graphs.tolist() == parts.train.tolist()
    folds = trial(protocol="inner", folds=5, phase=Phase.SEARCH)
    assert len(CompactBases(own, folds).graphs) == len(own.graphs)
    part = own.graphs.subset(parts.train)
    expected = moments_of(build_bank(part, WINDOW)).products
    np.testing.assert_array_equal(CompactBases(own, config).moments(WINDOW).products, expected)


def test_targets_change_nothing(own: Prepared) -> None:
    blind = own.without_targets(np.arange(len(own.graphs)))
    assert CompactBases(blind, trial()).kept(WINDOW) == CompactBases(own, trial()).kept(WINDOW)


def test_measured_once_and_again_if_damaged(own: Prepared) -> None:
    graphs, messages = np.arange(40), list[str]()
    first = cached_moments(own, WIDE, graphs, messages.append)
    again = cached_moments(own, WIDE, graphs, messages.append)
    np.testing.assert_array_equal(first.products, again.products)
    assert (again.graphs, again.pairs) == (40, int((own.graphs.node_count[:40] ** 2).sum()))
    assert len(messages) == 1
    (file,) = (own.folder.parents[1] / "moments").iterdir()
    file.write_text('{"products": [[1.0]], "graphs": 1, "pairs": 1}')
    np.testing.assert_array_equal(cached_moments(own, WIDE, graphs).products, first.products)
    cached_moments(own, WIDE, np.arange(41), messages.append)  # other graphs, another file
    assert len(messages) == 2


@pytest.mark.parametrize("support", ["dense", Hops(hops=1)])
def test_many_pairs_are_sampled_by_graph(
    own: Prepared, monkeypatch: pytest.MonkeyPatch, support: str | Hops
) -> None:
    monkeypatch.setattr("pdf_search.data.cached_moments.MOST_PAIRS", 1000)
    basis = WINDOW.model_copy(update={"support": support})
    messages: list[str] = []
    found = cached_moments(own, basis, np.arange(600), messages.append)
    assert 600 < found.pairs <= 1000
    assert found.graphs < 100
    assert messages[0].startswith(
        f"comparing 12 bases on {found.graphs} of FreeSolv's 600 training graphs"
    )


def test_a_set_of_too_large_graphs_has_its_smallest(
    own: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdf_search.data.cached_moments.MOST_PAIRS", 3)
    graphs = np.arange(20, 30)
    found = cached_moments(own, WINDOW, graphs)
    assert (found.graphs, found.pairs) == (1, own.graphs.node_count[20:30].min() ** 2)


def test_a_model_with_a_place_for_each_basis_of_the_grid_is_refused(own: Prepared) -> None:
    model = {"filter": "fixed", "channels": "shd", "filter_norm": False}
    config = compact(model=model | {"coefficients": [1.0] * 13})
    with pytest.raises(ConfigError, match=r"basis\.select: compact: .*13 coefficients.* 9 places"):
        CompactBases(own, config).resolved(config)


def test_a_cache_that_cannot_be_written(own: Prepared) -> None:
    (own.folder.parents[1] / "moments").write_text("a file in the way")
    with pytest.raises(DataError, match="PDF_SEARCH_CACHE"):
        cached_moments(own, WINDOW, np.arange(5))
