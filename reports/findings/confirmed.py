"""What the confirmation says: the first configuration, beside the published one and the others."""

from __future__ import annotations

from collections.abc import Sequence

from pdf_search.results import planned_epochs
from reports.entry import Entry
from reports.findings.differences import difference_words
from reports.findings.noise import Difference, paired, values_of
from reports.findings.wording import Statement, gain, listed, metric_name, number, size
from reports.grid.trial_cells import over, shortened
from reports.leading import leader_sentence, place_of_first
from reports.sweep_data import SweepData

Pair = tuple[Entry, Difference]  # a run of the winner, and how another differs from it
Compared = tuple[Entry, Pair | None]
TOO_FEW = "fewer than two replicates of both are whole and of equal length"


def confirmed_statement(data: SweepData) -> Statement:
    """State the first confirmed configuration's value, and how it compares with the others.

    The published setting is compared first, then the rest, each paired by replicate. Only
    configurations are compared that are whole and trained as many epochs.
    """
    if not data.confirmed:
        why = data.not_asked or "no configuration is confirmed yet"
        return Statement(unknown=f"Test values: {why}.")
    first, published = data.confirmed[0], _published(data)
    own = _runs_of(data, first.trial.called)
    beside = _runs_of(data, published.called) if published else []
    found, unknown = [_value(data, first)], list(filter(None, [leader_sentence(data)]))
    if published is not None and not beside:
        unknown.append(f"How it compares with {_setting(published)}, which is not confirmed.")
    elif published is not None and published.called != first.trial.called:
        for run in beside:
            said = _beside(data, own, run, _setting(published, run.called))
            (found if said.found else unknown).append(said.found or said.unknown)
    rest = [e for e in data.confirmed if all(e is not run for run in (*own, *beside))]
    compared = [(entry, _pair(data, own, entry)) for entry in rest]
    found += _apart(data, compared)
    unknown += _ties(compared)
    return Statement("; ".join(found) + ".", " ".join(unknown))


def _published(data: SweepData) -> Entry | None:
    return next((e for e in data.search if e.trial.origin.startswith("published")), None)


def _runs_of(data: SweepData, trial: str) -> list[Entry]:
    """The confirmations of a trial: of another length, or of another version's settings."""
    return [entry for entry in data.confirmed if entry.trial.called == trial]


def _setting(published: Entry, called: str = "") -> str:
    changed = ", changed" if published.trial.origin != "published" else ""
    return f"the published setting{changed} ({called or published.called})"


def _value(data: SweepData, first: Entry) -> str:
    spread = first.summary.std
    assert first.summary.mean is not None
    facts = [f"n {first.summary.n}", *first.summary.reasons, *shortened(first)]
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


def _pair(data: SweepData, own: Sequence[Entry], other: Entry) -> Pair | None:
    """The first of the winner's runs that can be compared with another, and their difference."""
    pairs = ((run, _compared(data, run, other)) for run in own)
    return next(((run, found) for run, found in pairs if found is not None), None)


def _beside(data: SweepData, own: Sequence[Entry], published: Entry, name: str) -> Statement:
    pair = _pair(data, own, published)
    if pair is None:
        return Statement(unknown=f"How it compares with {name}: {TOO_FEW}.")
    run, difference = pair
    subject = "it" if run is own[0] else run.called
    return Statement(difference_words(data, difference, subject, name, "paired"))


def _apart(data: SweepData, compared: Sequence[Compared]) -> list[str]:
    """Which of the other confirmed configurations differ measurably from the first, run by run."""
    named: dict[str, list[str]] = {}
    for entry, pair in compared:
        if pair is not None and pair[1].measurable:
            side = "behind" if gain(data, pair[1].mean) > 0 else "ahead of"
            named.setdefault(f"measurably {side} {pair[0].called}", []).append(entry.called)
    return [f"{words}: {listed(names)}" for words, names in named.items()]


def _ties(compared: Sequence[Compared]) -> list[str]:
    """Which others show no measurable difference to the first, run by run, or are not compared."""
    named: dict[str, list[str]] = {}
    for entry, pair in compared:
        if pair is not None and not pair[1].measurable:
            words = f"Not measurably different from {pair[0].called}"
            named.setdefault(words, []).append(entry.called)
    left_out = [entry.called for entry, pair in compared if pair is None]
    if left_out:
        named[f"Not compared, as {TOO_FEW}"] = left_out
    return [f"{words}: {listed(names)}." for words, names in named.items()]
