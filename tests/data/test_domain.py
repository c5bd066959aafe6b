"""The applicability domain: surroundings, sizes and values that the training graphs lack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdf_search.data import Domain, molecule_graphs, silent
from pdf_search.graphs import GraphSet, surroundings

TRAINED = ["CCO", "CCCO", "CC(=O)O", "c1ccccc1", "Cc1ccccc1", "OCCO"]


def molecules(*smiles: str) -> GraphSet:
    graphs, _, wrong = molecule_graphs(smiles, silent)
    assert graphs is not None
    assert not wrong
    return graphs


@pytest.fixture(scope="module")
def domain() -> Domain:
    return Domain.of(molecules(*TRAINED, "ClCl"), np.arange(len(TRAINED)))


def test_what_was_trained_on_is_familiar(domain: Domain) -> None:
    again = molecules(*TRAINED)
    assert domain.familiar(again) == pytest.approx(1.0)
    assert domain.unlike(again) == [""] * len(TRAINED)


def test_what_was_not_is_unlike(domain: Domain) -> None:
    new = molecules("ClCl", "OCCCO", "CCCCCCCCCCO")
    share = domain.familiar(new)
    assert share[0] == 0  # in the set, and not among the training graphs
    assert share[2] == pytest.approx(4 / 11)  # the ends; the middle of a long chain is new
    short, known, long = domain.unlike(new, "atom")
    assert (
        short == "2 of 2 atoms unfamiliar, 2 atoms (training: 3 to 7), 2 edges (training: 4 to 14)"
    )
    assert known == ""
    assert long.startswith("7 of 11 atoms unfamiliar, 11 atoms (training: 3 to 7)")


def test_the_order_of_atoms_does_not_matter() -> None:
    there, back = molecules("OCCN"), molecules("NCCO")
    assert sorted(surroundings(there)) == sorted(surroundings(back))
    other = replace(there, edge_type=np.zeros_like(there.edge_type))  # as no bond has it
    assert not set(surroundings(there)) & set(surroundings(other))


def test_edge_types_are_known_by_their_codes_and_not_by_their_numbers(domain: Domain) -> None:
    graphs = molecules("CC(=O)O")
    order = np.arange(len(graphs.edge_types))[::-1]
    renumbered = replace(
        graphs, edge_types=graphs.edge_types[order], edge_type=order[graphs.edge_type]
    )
    assert domain.familiar(renumbered) == pytest.approx(domain.familiar(graphs))


def test_real_features_are_known_by_their_range() -> None:
    graphs = molecules("CCO", "CCCO")
    values = np.arange(7, dtype=np.float32)[:, None]
    real = replace(graphs, nodes=values)
    domain = Domain.of(real, np.array([0]))
    assert domain.familiar(real).tolist() == [1.0, 0.0]
    assert domain.unlike(real)[1].startswith("4 of 4 nodes unfamiliar, 4 nodes (training: 3 to 3)")


def test_it_is_read_as_it_was_written(domain: Domain) -> None:
    again = Domain.read(domain.state())
    assert again.hashes.tolist() == domain.hashes.tolist()
    assert (again.nodes, again.edges) == (domain.nodes, domain.edges)
