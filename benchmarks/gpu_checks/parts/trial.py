"""One real trial twice, with the same bits, recorded where that pays; replicates do not mix."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from gpu_checks.bench import Bench, Row
from gpu_checks.compare import check, relative
from gpu_checks.parts.trials import curve, train


def rows(bench: Bench) -> Iterator[Row]:
    """Eight replicates on a GPU, of full size."""
    replicates = max(bench.sizes.together[:1])
    config = bench.config(replicates, fraction=fraction(bench), stop_epoch=bench.sizes.epochs)
    first, seconds = train(bench, config)
    second, _ = train(bench, config)
    one, two = curve(first), curve(second)
    more = {"trial_s": seconds, "epochs": len(first), "replicates": replicates}
    yield check("a rerun: values that differ", int((one != two).sum()), 0.5, **more)
    yield check("a rerun: values that are not finite", int((~one.isfinite()).sum()), 0.5)
    losses = one[:, :, 0]
    falls = float((losses[-1] / losses[0]).max()) if len(first) > 1 else 0.0
    yield check("last training loss / first", falls, 0.9)
    if not bench.interpreted:  # ``engines`` has it there, in fewer steps
        yield alone(bench)


def alone(bench: Bench) -> Row:
    """A replicate alone against the same one among others, over some steps: its training loss."""

    def loss(replicates: int) -> Tensor:
        config = bench.config(replicates, fraction=min(fraction(bench), 0.1), stop_epoch=1)
        reports, _ = train(bench, config)
        return curve(reports)[0, 0, :1]

    return check("a replicate alone or among others", relative(loss(1), loss(2)), 1e-3)


def fraction(bench: Bench) -> float:
    return 0.08 if bench.interpreted else 1.0
