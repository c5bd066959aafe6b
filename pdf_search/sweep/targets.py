"""The value of each target of confirmed trials, from the predictions that they wrote."""

from __future__ import annotations

from dataclasses import replace

from pdf_search.records import Phase, State
from pdf_search.sweep import checkpoints
from pdf_search.sweep.ledger import Ledger


def record_targets(ledger: Ledger) -> None:
    """Record the targets' own values of COMPLETE trials with several targets that lack them."""
    from pdf_search.training.target_values import target_values  # noqa: PLC0415

    if ledger.phase is not Phase.CONFIRM:
        return
    for record in list(ledger.records.values()):
        metric = ledger.sweeps[record.sweep].metric
        if metric == "accuracy":  # of classes: one target
            continue
        if record.by_target is None and record.checkpoint and record.state is State.COMPLETE:
            with checkpoints.local_copy(record.checkpoint) as folder:
                found = target_values(folder, metric)
            if found:
                ledger.save(replace(record, by_target=found))
