"""Says of a data set what the plan of a sweep would say, under the data set's usual protocol."""

from __future__ import annotations

from pdf_search.config import BasisConfig, DataConfig, TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.label_check import check_labels
from pdf_search.data.splits.split_notes import with_split_notes
from pdf_search.errors import ConfigError, DataError
from pdf_search.records import METRICS, Phase, Protocol

FOLDS = 10  # of the protocols that have folds, as in the paper's settings


def outlook(data: Prepared, config: DataConfig) -> tuple[str, ...]:
    """Return the notes on a data set and on its split, and why a sweep would be refused, if so."""
    folds = None if data.info.protocol is Protocol.SPLIT else FOLDS
    any_basis = BasisConfig(eps=(-0.5,), k=1)
    search = TrialConfig(data=config, basis=any_basis, protocol=data.info.protocol, folds=folds)
    confirm = search.model_copy(update={"phase": Phase.CONFIRM})
    try:
        data = with_split_notes(data, search)
        check_labels(data, METRICS[data.info.metric], search, confirm)
    except (ConfigError, DataError) as error:
        return (*data.notes, f"a sweep would be refused: {error}")
    return data.notes
