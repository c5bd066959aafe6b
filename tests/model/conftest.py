from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.model.networks import Setup

torch.set_num_threads(1)  # the tensors are tiny: threads cost more than they bring


@pytest.fixture(scope="module", params=["reference", "fast"])
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs a module's tests on each engine."""
    before, Setup.engine = Setup.engine, request.param
    yield request.param
    Setup.engine = before
