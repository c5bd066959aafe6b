"""How the graphs of a data set are divided, for the reader of a plan."""

from __future__ import annotations

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.registry import GRAPHS
from pdf_search.data.splits.split_parts import can_stratify, split_for
from pdf_search.records import Phase
from pdf_search.wording import counted


def split_words(data: Prepared, config: TrialConfig) -> str:
    """The kind of split, and how many graphs are in each part; with folds, how many there are.

    Raises:
        DataError: There are too few graphs.
    """
    if config.folds is not None:
        return counted(config.folds, "fold")
    confirm = config.model_copy(update={"phase": Phase.CONFIRM})
    split = split_for(data, confirm, confirm.replicates[0])
    assert split.test is not None
    sizes = f"{len(split.train):,} training, {len(split.valid):,} validation, {len(split.test):,}"
    return f"{_kind(data, config)}: {sizes} test graphs"


def _kind(data: Prepared, config: TrialConfig) -> str:
    wanted = config.data
    if data.official is not None:
        if wanted.split_column is None:
            return "as published"
        given = wanted.name == GRAPHS
        return "given with the graphs" if given else f"by column {wanted.split_column}"
    if wanted.split_by == "scaffold":
        return "by scaffold"
    if wanted.stratify:
        return "random, classes in proportion"
    hint = " (data.stratify: true keeps the classes in proportion)"
    return "random" + (hint if can_stratify(data) else "")
