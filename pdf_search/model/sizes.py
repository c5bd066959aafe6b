"""The sizes to which all steps of a stack are padded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil


@dataclass(frozen=True)
class Sizes:
    """The sizes to which a step is padded; 0 means that nothing is known yet."""

    nodes: int = 0  # of a replicate: one more than any batch has
    rows: int = 0  # of a replicate
    messages: int = 0
    weights: int = 0  # entries or near pairs
    triples: int = 0
    segment_chunks: int = 0
    weight_chunks: int = 0
    message_chunks: int = 0
    spare: float = 0.0  # share added to a size that grows

    def holding(self, **needed: int) -> Sizes:
        """The sizes with those that are less than ``needed`` enlarged.

        They are rounded up, so that other batches are likely to fit too.
        """
        more = 1 + self.spare
        grown = {n: rounded(ceil(s * more)) for n, s in needed.items() if s > getattr(self, n)}
        return replace(self, **grown)


def rounded(size: int) -> int:
    """Round up to a multiple of a sixteenth of the largest power of two in ``size``.

    The multiple is at least 8. From 128 on at most a sixteenth is added.
    """
    grain = max(8, 1 << max(size.bit_length() - 5, 0))
    return -(-size // grain) * grain
