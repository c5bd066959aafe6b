from __future__ import annotations

import os

import pytest


@pytest.mark.ray
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process has all tests")
def test_ray_tests_are_a_group_of_a_process(request: pytest.FixtureRequest) -> None:
    assert request.node.nodeid.endswith("@ray")
