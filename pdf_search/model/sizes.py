"""The sizes that every step of a stack is padded to."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Sizes:
    """What every step is padded to; 0 = nothing known yet."""

    nodes: int = 0  # of a replicate, one more than any of its batches has
    rows: int = 0  # of a replicate
    messages: int = 0
    weights: int = 0  # entries or near pairs
    triples: int = 0
    segment_chunks: int = 0
    weight_chunks: int = 0
    message_chunks: int = 0

    def holding(self, **needed: int) -> Sizes:
        """These sizes, those that are too small rounded up with room for other batches."""
        grown = {name: rounded(size) for name, size in needed.items() if size > getattr(self, name)}
        return replace(self, **grown)


def rounded(size: int) -> int:
    """The next multiple of a sixteenth of its power of two: at most a sixteenth too much."""
    grain = max(8, 1 << max(size.bit_length() - 5, 0))
    return -(-size // grain) * grain
