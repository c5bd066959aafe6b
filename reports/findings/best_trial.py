"""What the search says of its best trial, and which others cannot be told apart from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdf_search.records import State
from pdf_search.results import planned_epochs, smoothed_words
from pdf_search.wording import counted
from reports.entry import Entry
from reports.findings.noise import Noise, noise
from reports.findings.wording import Statement, listed, metric_name, number, size
from reports.sweep_data import SweepData


def best_statement(data: SweepData) -> Statement:
    """State the best COMPLETE trial of the search, and which others chance may have put behind.

    Trials are compared that trained as many epochs on as many replicates as the best one.
    """
    whole = [e for e in data.search if e.trial.state is State.COMPLETE and e.summary.n]
    ended = counted(sum(entry.trial.state.finished for entry in data.search), "trial")
    if not whole:
        return Statement(unknown=f"Which trial is best: none of {ended} is complete with a value.")
    best = whole[0]
    assert best.summary.mean is not None
    assert best.summary.smoothed is not None
    others = [e for e in whole[1:] if _comparable(data, best, e)]
    found = (
        f"The best of {ended} ({best.called}; {len(whole)} complete) reached "
        f"{metric_name(data, 'valid')} {number(data, best.summary.mean, best.summary.std)}"
    )
    means = [entry.summary.mean for entry in whole]
    if any(mean is not None and data.metric.better(mean, best.summary.mean) for mean in means):
        ranked = number(data, best.summary.smoothed)
        found += f" ({ranked} as {smoothed_words(best.summary.epochs)}, which ranks trials)"
    if not others:
        return Statement(f"{found}; no other trial is as long, so nothing compares with it.")
    chance = search_noise(data, [best, *others])
    if chance is None:
        return Statement(f"{found}.", _unknown_spread(data, best, others[0]))
    return _against(data, found, chance, best, others)


def search_noise(data: SweepData, compared: Sequence[Entry]) -> Noise | None:
    """The spread between replicates of one configuration, by validation values.

    It is that of the search itself if its trials have several replicates, else that of the
    confirmed configurations over their seeds; None if neither is known. Confirmations of the
    trials' own length come first, then those of the length that was confirmed first.
    """
    if compared[0].summary.n > 1:
        return noise(compared, "valid")
    if any(r.fold is not None for e in data.confirmed for r in e.trial.replicates):
        return None
    whole = [entry for entry in data.confirmed if not entry.summary.partial]
    own = compared[0].summary.epochs_planned
    lengths = dict.fromkeys([own, *(entry.summary.epochs_planned for entry in whole)])
    found = (_confirmed_noise(whole, length, own) for length in lengths)
    return next((chance for chance in found if chance is not None), None)


def _confirmed_noise(whole: Sequence[Entry], length: int, own: int) -> Noise | None:
    chance = noise([e for e in whole if e.summary.epochs_planned == length], "valid")
    return replace(chance, epochs=length) if chance and length != own else chance


def _comparable(data: SweepData, best: Entry, other: Entry) -> bool:
    lengths = {planned_epochs(data.sweep, entry.trial) for entry in (best, other)}
    return len(lengths) == 1 and best.summary.n == other.summary.n


def _unknown_spread(data: SweepData, best: Entry, second: Entry) -> str:
    gap = _distance(best, second)
    return (
        f"Whether {best.called} is better than the next ({second.called}, "
        f"{size(data, gap)} behind): "
        "how far two seeds of one configuration differ is known once configurations are confirmed "
        "on two or more seeds."
    )


def _against(
    data: SweepData, found: str, chance: Noise, best: Entry, others: Sequence[Entry]
) -> Statement:
    margin = chance.margin(best.summary.n)
    tied = [e for e in others if _distance(best, e) <= margin]
    count = counted(len(others), "other complete trial")
    why = (
        f"{size(data, margin)}, the least measurable difference (spread between "
        f"{'folds' if chance.folds else 'seeds'} of one configuration {size(data, chance.std)}, "
        f"{_at_another_length(chance)}"
        f"{counted(chance.freedom, 'degree')} of freedom)"
    )
    if not tied:
        return Statement(f"{found}, ahead of {count} by more than {why}.")
    names = listed([entry.called for entry in tied])
    lie = "lies" if len(tied) == 1 else "lie"
    return Statement(
        f"{found}.",
        f"Which trial is best: {len(tied)} of {count} ({names}) {lie} within {why}.",
    )


def _at_another_length(chance: Noise) -> str:
    return f"measured at another length, {counted(chance.epochs, 'epoch')}, " * bool(chance.epochs)


def _distance(best: Entry, other: Entry) -> float:
    """How far they are apart by the value that ranks them."""
    assert best.summary.smoothed is not None
    assert other.summary.smoothed is not None
    return abs(best.summary.smoothed - other.summary.smoothed)
