"""Deals out whole scaffolds, so that no test molecule has the ring system of a training one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.split_units import known_as
from pdf_search.errors import DataError

Numbers = NDArray[np.int64]
_SHARE = 0.1  # of the validation and of the test part


def scaffold_parts(data: Prepared, config: TrialConfig) -> tuple[Numbers, Numbers, Numbers]:
    """Return training, validation and test graphs, about 80:10:10, without a common scaffold.

    Scaffolds are taken in an order drawn by ``data.split_seed``, those of up to half a tenth of the
    graphs first, and fill first the test, then the validation part; what does not fit goes to the
    training part.

    Raises:
        DataError: The data are no molecules, or have too few scaffolds.
    """
    name = known_as(data, config)
    if data.scaffolds is None:
        raise DataError(
            f"{name}: data.split_by: scaffold needs own molecules or freesolv; these graphs are "
            "not read from SMILES, or were prepared by an earlier version"
        )
    found, of, sizes = np.unique(
        np.asarray(data.scaffolds), return_inverse=True, return_counts=True
    )
    wanted = _SHARE * len(of)
    order = np.random.default_rng(config.data.split_seed).permutation(len(found))
    order = order[np.argsort(sizes[order] > wanted / 2, kind="stable")]
    part = np.zeros(len(found), np.int64)  # of each scaffold: 0 training, 1 validation, 2 test
    filled = [0, 0]
    for scaffold in order.tolist():
        into = next((i for i in (0, 1) if filled[i] + sizes[scaffold] <= round(wanted)), None)
        if into is not None:
            part[scaffold] = 2 - into
            filled[into] += int(sizes[scaffold])
    train, valid, test = (np.flatnonzero(part[of] == i).astype(np.int64) for i in range(3))
    if not all(map(len, (train, valid, test))):
        raise DataError(
            f"{name}: {len(found)} scaffolds over {len(of)} graphs are too few, or too unequal, to "
            "be dealt out 80:10:10; data.split_by: molecule deals out molecules"
        )
    return train, valid, test
