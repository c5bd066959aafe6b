"""A difference between two configurations in words: which is ahead, by how much, how surely."""

from __future__ import annotations

from reports.findings.noise import LEVEL, Difference
from reports.findings.wording import gain, number, size
from reports.sweep_data import SweepData


def difference_words(data: SweepData, found: Difference, own: str, other: str, how: str) -> str:
    """Say how ``own`` compares with ``other``, without a full stop; ``how`` they were compared.

    An amount is more than 0, and its interval counts in the same direction: an end below 0 is on
    the other side of level.
    """
    better = gain(data, found.mean)
    side, joined = ("ahead", "ahead of") if better > 0 else ("behind", "behind")
    amount, turn = number(data, abs(found.mean), found.error), -1 if found.mean < 0 else 1
    ends = sorted((turn * found.low, turn * found.high))
    low, high = (number(data, end, found.error) for end in ends)
    sure = (
        f"(standard error {size(data, found.error)}; {LEVEL:.0%} interval {low} to {high}, {how}, "
        f"n {found.n})"
    )
    if found.measurable:
        return f"{own} is {joined} {other} by {amount} {sure}"
    stands = f"{side} by {amount}" if better else "level"
    return f"no measurable difference to {other}: {own} is {stands} {sure}"
