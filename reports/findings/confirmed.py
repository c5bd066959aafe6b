"""What the confirmation says: the first configuration, beside the published one and the others."""

from __future__ import annotations

from collections.abc import Sequence

from pdf_search.results import planned_epochs
from reports.findings.differences import difference_words
from reports.findings.noise import Difference, paired, values_of
from reports.findings.wording import Statement, listed, metric_name, number, size
from reports.grid.trial_cells import over
from reports.leading import leader_sentence, place_of_first
from reports.sweep_data import Entry, SweepData

TOO_FEW = "fewer than two replicates of both are whole and of equal length"


def confirmed_statement(data: SweepData) -> Statement:
    """State the first confirmed configuration's value, and how it compares with the others.

    The published setting is compared first, then the rest, each paired by replicate. Only
    configurations are compared that are whole and trained as many epochs.
    """
    if not data.confirmed:
        why = data.not_asked or "no configuration is confirmed yet"
        return Statement(unknown=f"Test values: {why}.")
    first = data.confirmed[0]
    published = _published(data)
    beside = next((e for e in data.confirmed if published and _confirms(e, published)), None)
    found, unknown = [_value(data, first)], list(filter(None, [leader_sentence(data)]))
    if beside is not None and beside is not first:
        said = _beside(data, first, beside)
        (found if said.found else unknown).append(said.found or said.unknown)
    elif published is not None and beside is None:
        unknown.append(f"How it compares with {_setting(published)}, which is not confirmed.")
    rest = [e for e in data.confirmed if e is not first and e is not beside]
    unknown += _ties(data, first, rest)
    return Statement("; ".join(found) + ".", " ".join(unknown))


def _published(data: SweepData) -> Entry | None:
    return next((e for e in data.search if e.trial.origin.startswith("published")), None)


def _confirms(confirmed: Entry, searched: Entry) -> bool:
    return confirmed.searched_as == searched.trial.number


def _setting(published: Entry) -> str:
    changed = ", changed" if published.trial.origin != "published" else ""
    return f"the published setting{changed} ({published.called})"


def _value(data: SweepData, first: Entry) -> str:
    spread = first.summary.std
    assert first.summary.mean is not None
    facts = [f"n {first.summary.n}", *first.summary.reasons]
    text = number(data, first.summary.mean, spread)
    if spread is not None:
        text += f" ± {size(data, spread)}"
        facts.insert(1, "population standard deviation")
    replicates = over([first])
    fresh = "fresh seeds" if replicates == "seeds" else replicates
    return (
        f"Confirmed on {fresh}, {first.called}, the {place_of_first(data)}, has "
        f"{metric_name(data, 'test')} {text} ({', '.join(facts)})"
    )


def _compared(data: SweepData, first: Entry, other: Entry) -> Difference | None:
    """The difference to another confirmation; None if the two cannot be compared."""
    lengths = {planned_epochs(data.sweep, entry.trial) for entry in (first, other)}
    if first.summary.partial or other.summary.partial or len(lengths) > 1:
        return None
    return paired(values_of(first, "test"), values_of(other, "test"))


def _beside(data: SweepData, first: Entry, published: Entry) -> Statement:
    searched = _published(data)
    assert searched is not None
    name = _setting(searched)
    difference = _compared(data, first, published)
    if difference is None:
        return Statement(unknown=f"How it compares with {name}: {TOO_FEW}.")
    return Statement(difference_words(data, difference, "it", name, "paired"))


def _ties(data: SweepData, first: Entry, rest: Sequence[Entry]) -> list[str]:
    """Which of the other confirmed configurations show no measurable difference to the first."""
    found = [(e, d) for e in rest if (d := _compared(data, first, e)) is not None]
    tied = [entry.called for entry, difference in found if not difference.measurable]
    left_out = [e.called for e in rest if all(e is not entry for entry, _ in found)]
    texts = []
    if tied:
        texts.append(f"Not measurably different from {first.called}: {listed(tied)}.")
    if left_out:
        texts.append(f"Not compared, as {TOO_FEW}: {listed(left_out)}.")
    return texts
