"""The parts of the check in their order of worth, with their limits of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A part is ``rows(bench)`` of the module that bears its name, or of ``module``."""

    name: str
    limit: float  # seconds on a GPU, compilation included
    what: str
    on_cpu: bool = True
    interpreted: float = 0.0  # seconds of processor time in Triton's interpreter; 0: never
    needs: tuple[str, ...] = ()  # packages beyond those of training
    alone: bool = False  # on a GPU only where asked for by name
    module: str = ""


PARTS = (
    Part("kernels", 70, "each kernel against plain torch in float64", interpreted=120),
    Part("engines", 50, "the fast engine against the reference in float64", interpreted=120),
    Part("recorded", 60, "recorded steps against eager ones", interpreted=120),
    Part("trial", 60, "one real trial twice, with the same bits", interpreted=120),
    Part("epochs", 60, "training epochs with collation, steps by replay", interpreted=120),
    Part("released", 40, "memory after trials, and after one that ran out of it", interpreted=120),
    Part("times", 40, "each kernel's time by graph replay; the slowest of a step", on_cpu=False),
    Part("long", 330, "four seeds, 351 epochs, test MAE", interpreted=120, alone=True),
    Part(
        "ray",
        180,
        "two trials at half a GPU each, through Ray",
        needs=("ray",),
        alone=True,
        module="ray_trials",
    ),
)


def chosen(names: Sequence[str] | None, device: str, kernels: str) -> list[Part]:
    """The parts asked for, or else all that can run there and fit into one call."""
    cpu = device == "cpu"
    if names:
        return [part for part in PARTS if part.name in names]
    parts = [p for p in PARTS if (p.on_cpu if cpu else not p.alone)]
    return [p for p in parts if p.interpreted] if kernels == "interpreter" else parts


def limit_of(part: Part, device: str) -> float:
    """Seconds that a part may take; on a CPU of processor time."""
    return part.limit if device != "cpu" else max(part.limit, part.interpreted)
