"""Whether the winners of two sweeps differ: paired by replicate if both have the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from math import sqrt
from statistics import fmean, stdev

from pdf_search.wording import sentence_case
from reports.entry import Entry
from reports.findings.differences import difference_words
from reports.findings.noise import Difference, Values, paired, quantile, values_of
from reports.findings.wording import metric_name
from reports.sweep_data import SweepData


@dataclass(frozen=True)
class Compared:
    """The winner of a sweep against that of the first sweep named, on the test part.

    ``difference`` is its value less that of the first, as recorded; None where the two cannot be
    compared, and ``why`` says why.
    """

    name: str
    first: str
    difference: Difference | None
    why: str = ""
    is_paired: bool = False

    def sentence(self, data: SweepData) -> str:
        """The comparison in words; ``data`` is the sweep of either."""
        if self.difference is None:
            return f"{self.name} and {self.first} are not compared: {self.why}."
        how = "paired" if self.is_paired else "unpaired"
        other = f"{self.first} in {metric_name(data, 'test')}"
        said = difference_words(data, self.difference, self.name, other, how)
        return f"{said if self.difference.measurable else sentence_case(said)}."


def winner(data: SweepData) -> Entry | None:
    """The first confirmed configuration in the order of the search; None if none is confirmed."""
    return data.confirmed[0] if data.confirmed else None


def compared(first: tuple[str, SweepData], other: tuple[str, SweepData]) -> Compared:
    """Compare the winners of two sweeps, each given with its name."""
    names = other[0], first[0]
    why = _why_not(first[1], other[1])
    if why:
        return Compared(*names, None, why)
    entries = winner(other[1]), winner(first[1])
    if entries[0] is None or entries[1] is None:
        lacking = _which(names, [entry is None for entry in entries])
        return Compared(*names, None, f"no trial of {lacking} is confirmed")
    own, theirs = (values_of(entry, "test") for entry in entries if entry)
    if own.keys() == theirs.keys():
        found, is_paired = paired(own, theirs), True
    elif any(replicate.fold is not None for replicate in (*own, *theirs)):
        return Compared(*names, None, "not all folds are confirmed in both")
    else:
        found, is_paired = _unpaired(own, theirs), False
    few = _which(names, [len(values) < 2 for values in (own, theirs)])
    why = "" if found else f"fewer than two replicates of {few}"
    return Compared(*names, found, why, is_paired)


def _which(names: Sequence[str], chosen: Sequence[bool]) -> str:
    return " and of ".join(compress(names, chosen))


def _why_not(first: SweepData, other: SweepData) -> str:
    """Why numbers of two sweeps do not measure the same thing; "" if they do."""
    for what, a, b in (
        ("data", first.sweep.fingerprint, other.sweep.fingerprint),
        ("split", first.sweep.split_hash, other.sweep.split_hash),
        ("metric", first.sweep.metric, other.sweep.metric),
        ("protocol", first.sweep.protocol, other.sweep.protocol),
    ):
        if a != b:
            return f"another {what}"
    entries = winner(first), winner(other)
    fractions = {entry.train_fraction for entry in entries if entry}
    return "trained on another fraction of the data" if len(fractions) > 1 else ""


def _unpaired(own: Values, other: Values) -> Difference | None:
    """The difference of two means with Welch's interval; None if either has fewer than two."""
    if min(len(own), len(other)) < 2:
        return None
    parts = [stdev(values.values()) ** 2 / len(values) for values in (own, other)]
    error = sqrt(sum(parts))
    mean = fmean(own.values()) - fmean(other.values())
    if not error:
        return Difference(mean, 0.0, mean, mean, min(len(own), len(other)))
    below = sum(p**2 / (len(v) - 1) for p, v in zip(parts, (own, other), strict=True))
    reach = quantile(error**4 / below) * error
    return Difference(mean, error, mean - reach, mean + reach, min(len(own), len(other)))
