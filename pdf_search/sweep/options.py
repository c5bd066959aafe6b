"""The options of a sweep: what the user asks of it besides the space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pdf_search.paths import expanded
from pdf_search.runs import check_name
from pdf_search.sweep.option_values import checked
from pdf_search.sweep.samplers.methods import find_method

RECORDED = (
    "cpus_per_trial",
    "gpus_per_trial",
    "concurrent",
    "address",
    "storage",
    "top_k",
    "seeds",
    "confirm_epochs",
    "replicates",
    "repeat",
    "from_sweeps",
    "checkpoint_seconds",
    "epoch_timeout",
    "tensorboard",
    "data_root",
    "cache",
)


@dataclass(frozen=True)
class SweepOptions:
    """The options of a sweep. None means: as the space says, or as the machine allows.

    ``name`` is by default the space's name, with a number if that is taken. ``top_k`` trials are
    confirmed (0 for none), each on ``seeds`` fresh seeds; with folds, on all folds for each seed.
    ``replicates``: seeds of every trial of the search, trained together.
    ``repeat``: train equal configurations again. ``no_portfolio``: try nothing of the portfolio,
    whatever the space says. ``from_sweeps``: earlier sweeps whose trials the sampler is told of
    (``--from``). ``time``: seconds after which the sweep stops and can be resumed.
    ``epoch_timeout``: seconds without an epoch after which a trial counts as hanging; its worker is
    ended, and it is tried again. ``tensorboard``: write the curves of all trials for TensorBoard
    too, into the sweep's folder. ``storage``: folder or URI for checkpoints. ``quick``: plan
    without looking at the data's bases, to inspect the plan and not to run it.

    Raises:
        ConfigError: a value is of another kind, or too small or large, or names no method.
    """

    name: str | None = None
    out: Path = Path("runs")
    db: str | None = None
    trials: int | None = None
    epochs: int | None = None
    method: str | None = None
    metric: str | None = None
    replicates: int | None = None
    seed: int = 0
    cpus_per_trial: int = 1
    gpus_per_trial: float | None = None
    concurrent: int | None = None
    address: str | None = None
    storage: str | None = None
    time: float | None = None
    top_k: int | None = None
    seeds: int | None = None
    confirm_epochs: int | None = None
    repeat: bool = False
    no_portfolio: bool = False
    from_sweeps: tuple[str, ...] = ()
    checkpoint_seconds: float = 30.0
    epoch_timeout: float = 7200.0
    tensorboard: bool = False
    data_root: Path | None = None
    cache: Path | None = None
    assume_yes: bool = False
    quick: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = checked(field.name, str(field.type), getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        if self.name is not None:
            check_name(self.name)
        if self.method is not None:
            find_method(self.method)

    def recorded(self) -> dict[str, Any]:
        """The options that a resume needs, as JSON-like data; folders as absolute paths."""
        tree = {name: asdict(self)[name] for name in RECORDED}
        return {
            k: str(expanded(v).resolve()) if isinstance(v, Path) else v for k, v in tree.items()
        }

    @classmethod
    def from_recorded(cls, tree: Mapping[str, Any], **changes: Any) -> SweepOptions:
        """The inverse of ``recorded``; unknown keys are ignored, and ``changes`` come first."""
        known = {field.name for field in fields(cls)}
        values = {k: v for k, v in tree.items() if k in known}
        for name in ("data_root", "cache"):
            values[name] = Path(values[name]) if values.get(name) else None
        values["from_sweeps"] = tuple(values.get("from_sweeps", ()))
        return cls(**(values | changes))
