"""The first line of a command that goes on with a recorded sweep: what it will do.

It is told before torch and Ray are loaded, which takes long enough to wonder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pdf_search.errors import ConfigError
from pdf_search.records import Phase, Protocol, SweepRecord, TrialRecord
from pdf_search.results import Store, is_study_part, study_parts
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.reruns import run_to_repeat
from pdf_search.wording import counted


def resume_opening(folder: SweepFolder, trials: int | None = None) -> str:
    """Say how much of a sweep or study is done; ``trials`` is the new total of its search.

    Raises:
        StoreError: there is no such sweep.
    """
    with folder.open_store() as store:
        parts = study_parts(store, folder.name)
        sweeps = parts or [store.sweep(folder.name)]
        rows = [row for sweep in sweeps for row in store.trials(sweep.name)]
    if parts:
        return f"resume {folder.called}: {_done(rows, len(rows), 'run')} are done"
    search = [row for row in rows if row.phase is Phase.SEARCH and not row.is_rerun]
    confirm = [row for row in rows if row.searched_as is not None]
    total = max(trials or 0, sweeps[0].trials, len(search))
    begun = f" and {_done(confirm, len(confirm), 'confirmation')}" if confirm else ""
    return f"resume {folder.called}: {_done(search, total, 'trial')}{begun} are done"


def confirm_opening(folder: SweepFolder, given: Mapping[str, Any]) -> str:
    """Say how many trials are confirmed, and how long; ``given`` comes before what is recorded.

    Raises:
        ConfigError: it would confirm nothing, or it is of a study.
        StoreError: there is no such sweep.
    """
    with folder.open_store() as store:
        refuse_study(store, folder.name)
        record = store.sweep(folder.name)
    refuse_none(folder.called, record, given.get("top_k"))
    settled = {**record.options, **{k: v for k, v in given.items() if v is not None}}
    top_k, seeds, epochs = (settled.get(key) for key in ("top_k", "seeds", "confirm_epochs"))
    if top_k is None or seeds is None or epochs is None:  # an older version left it to the plan
        return f"confirm {folder.called}"
    folds = "" if record.protocol is Protocol.SPLIT else " x all folds"
    each = f"{counted(seeds, 'fresh seed')}{folds}, {counted(epochs, 'epoch')}"
    return f"confirm {folder.called}: the best {top_k:,} on {each}"


def rerun_opening(folder: SweepFolder, number: int, phase: Phase) -> str:
    """Say which trial is trained again.

    Raises:
        ConfigError: it is of a study, or there is no such trial to train again.
        StoreError: there is no such sweep.
    """
    with folder.open_store() as store:
        refuse_study(store, folder.name)
        rows = {row.number: row for row in store.trials(folder.name, phase)}
    return f"rerun of {run_to_repeat(rows, number, phase).run_called} of {folder.called}"


def refuse_study(store: Store, name: str) -> None:
    """Raise ConfigError if ``name`` is a study or a part of one, whose runs are fixed."""
    for sweep in filter(is_study_part, store.sweeps(name)):
        study = sweep.options["study"]
        if name in (sweep.name, study["name"]):
            what = "a study" if name == study["name"] else "part of a study"
            raise ConfigError(
                f"{name} is {what}, whose runs are fixed: only `pdf-search resume {study['name']}` "
                "goes on with it"
            )


def refuse_none(called: str, record: SweepRecord, top_k: int | None) -> None:
    """Raise ConfigError if a confirmation with ``top_k`` (None: as recorded) has no trials."""
    if top_k == 0:
        raise ConfigError(
            "--top-k 0: nothing would be confirmed; say how many of the best, such as --top-k 3, "
            "or leave it out"
        )
    if top_k is None and record.options.get("top_k") == 0:
        what = f"{called} was to confirm nothing (--top-k 0)"
        raise ConfigError(f"{what}: say how many of its best to confirm, such as --top-k 3")


def _done(rows: Sequence[TrialRecord], total: int, noun: str) -> str:
    return f"{sum(row.state.finished for row in rows):,} of {counted(total, noun)}"
