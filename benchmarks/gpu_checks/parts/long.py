"""Four seeds of the published ZINC setting for 351 epochs, confirmed: test MAE and time."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_checks.bench import Bench, Row
from gpu_checks.compare import check
from gpu_checks.parts.trials import curve, train

SECONDS = 240.0
TEST_MAE = 0.072  # published: 0.066; asked: 0.069 +- 0.003 or better


def rows(bench: Bench) -> Iterator[Row]:
    seeds, epochs = bench.sizes.long
    config = bench.config(
        seeds, fraction=0.08 if bench.interpreted else 1.0, phase="confirm", precision="tf32",
        stop_epoch=epochs,
    )  # fmt: skip
    reports, seconds = train(bench, config)
    values = curve(reports)
    best = values[:, :, 1].min(0).indices  # the epoch that is best on the validation part
    test = values[:, :, 2].gather(0, best[None])[0]
    more = {"seeds": test.tolist(), "std": float(test.std()), "epochs": len(reports),
            "peak_mb": max(report.peak_mb for report in reports)}  # fmt: skip
    yield check("values that are not finite", int((~values.isfinite()).sum()), 0.5)
    limit = TEST_MAE if bench.gpu else float("inf")
    yield check("mean test MAE", float(test.mean()), limit, **more)
    yield check("seconds", seconds, SECONDS)
