"""Data sets whose nodes are all alike, and what a softmax in the filter leaves of them."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.config import CategoricalInput, NoInput
from pdf_search.data.alike import LOOK, alike_notes, nodes_alike
from tests.data.conftest import Load, trial

SAID = (
    "nodes have no features that differ, so with model.softmax true they stay alike, and a network "
    "knows at most how many they are: --set model.softmax=false"
)


def test_one_other_node_anywhere_is_enough() -> None:
    nodes = np.ones((3 * LOOK, 2), np.float32)
    assert nodes_alike(nodes, NoInput())
    assert not nodes_alike(nodes, CategoricalInput(sizes=(4,)))
    nodes[-1, 1] = 2
    assert not nodes_alike(nodes, NoInput())


@pytest.mark.parametrize(("name", "alike"), [("imdb-binary", True), ("mutag", False)])
def test_a_softmax_on_nodes_that_are_alike_is_told(load: Load, name: str, alike: bool) -> None:
    configs = [trial(name, model={"softmax": softmax}) for softmax in (False, True)]
    data = load(name)
    assert alike_notes(data, configs) == ((SAID,) if alike else ())
    assert alike_notes(data, configs[:1]) == ()
