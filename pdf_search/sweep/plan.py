"""Plans a sweep: prepares its data, settles its numbers, checks all that can be checked before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pdf_search.config import TrialConfig
from pdf_search.data import (
    CompactBases,
    Prepared,
    Progress,
    alike_notes,
    check_labels,
    lookup,
    split_hash,
    split_words,
    with_split_notes,
)
from pdf_search.paths import expanded
from pdf_search.space import Space, origin_of_listed, words_of_listed
from pdf_search.sweep.begun_data import prepared_data
from pdf_search.sweep.compact_grids import compact_bases, compact_words, quick_notes, recorded_bases
from pdf_search.sweep.earlier import NOTHING_EARLIER, Earlier, read_earlier
from pdf_search.sweep.folder import SweepFolder, default_name
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.planned import Planned, find_metric
from pdf_search.sweep.samplers.check_limits import check_limits
from pdf_search.sweep.samplers.counting import count_configurations, count_trials
from pdf_search.sweep.samplers.explore import explored_parameters, population_base
from pdf_search.sweep.samplers.fixed_points import chosen_portfolio
from pdf_search.sweep.samplers.methods import Method, find_method
from pdf_search.sweep.samplers.trial_builder import TrialBuilder, example
from pdf_search.sweep.settled_resources import settled_resources
from pdf_search.sweep.tune.rules.epochs import decision_epochs, stopping_words
from pdf_search.sweep.tune.storage import check_storage
from pdf_search.wording import counted


@dataclass(frozen=True)
class Plan(Planned):
    """A checked sweep that can start.

    ``rungs`` are the epochs at which trials wait and the best go on, () for none. ``first`` is the
    configuration of an example trial. ``configurations`` is how many different ones a finite space
    has within its limits, None if they were not counted. ``portfolio`` are the points that are
    tried after those that the space lists. ``earlier`` are the trials of earlier sweeps that the
    sampler is told of. ``bases`` lists those of compact points; None if there are none, or with the
    option ``quick``.
    """

    space: Space
    method: Method
    trials: int
    rungs: tuple[int, ...]
    top_k: int
    seeds: int
    confirm_epochs: int
    first: TrialConfig
    notes: tuple[str, ...] = ()
    configurations: int | None = None
    portfolio: tuple[Mapping[str, Any], ...] = ()
    earlier: Earlier = NOTHING_EARLIER
    bases: CompactBases | None = None

    @property
    def starts_with_published(self) -> bool:
        """Whether the first trial is the paper's setting of this data set, unchanged."""
        listed = self.space.points_to_evaluate
        return bool(listed) and origin_of_listed(self.space.config(listed[0])) == "published"

    @property
    def builder(self) -> TrialBuilder:
        """Builds the trial configurations of both phases."""
        return TrialBuilder(
            space=self.space,
            seed=self.options.seed,
            epochs=self.epochs,
            confirm_epochs=self.confirm_epochs,
            confirm_count=self.seeds,
            search_count=self.options.replicates or 1,
            device=self.device,
            metric=None if self.metric.name == self.space.defaults.metric else self.metric.name,
            resolve=None if self.bases is None else self.bases.resolved,
        )

    def population_base(self) -> Mapping[str, Any]:
        """See the function of that name in ``samplers.explore``."""
        shape = self.data.info.shape
        assert shape is not None
        return population_base(self.space, self.portfolio, shape, self.builder.search)

    def lines(self) -> list[str]:
        """The plan in words, one aspect a line."""
        return [f"{key:<11} {value}" for key, value in self.as_dict().items() if value != ""]

    def as_dict(self) -> dict[str, Any]:
        """The plan as it is printed, and as ``--json`` gives it."""
        replicates = len(self.first.replicates)
        epochs = counted(self.epochs, "epoch")
        return {
            "sweep": f"{self.name} in {self.folder.path}",
            "space": f"{self.space.name} ({self.space.source}){self._size()}",
            "data": f"{self.info.title}, {counted(len(self.data.graphs), 'graph')}",
            "protocol": f"{self.first.protocol}, {counted(replicates, 'replicate')} a trial",
            "split": split_words(self.data, self.first),
            "metric": f"validation {self.metric.label}, {self.metric.mode}",
            "bases": self._bases(),
            "method": self.method.name,
            "search": f"{counted(self.trials, 'trial')} of up to {epochs}; first: {self._first()}",
            "earlier": self.earlier.described(self.method),
            "stopping": stopping_words(self),
            "confirm": self._confirming(),
            "resources": self.resources.words("trial"),
            "notes": "; ".join((*self.space.notes, *self.notes)),
            "data notes": "; ".join(self.data.notes),
        }

    def _bases(self) -> str:
        return "" if self.bases is None else compact_words(self.bases)

    def _size(self) -> str:
        if self.configurations is not None:
            return f", {counted(self.configurations, 'different configuration')} within the limits"
        points = self.space.size()
        return "" if points is None else f", {counted(points, 'point')}"

    def _first(self) -> str:
        listed = self.space.points_to_evaluate
        words = [words_of_listed(self.space, listed[0])] if listed else []
        words += [f"{len(self.portfolio)} of the portfolio"] if self.portfolio else []
        return ", then ".join(words) or "sampled"

    def _confirming(self) -> str:
        if not self.top_k:
            return "none"
        folds = self.first.folds
        seeds = counted(self.seeds, "fresh seed")
        each = f"{seeds} x {folds} folds" if folds else seeds
        epochs = counted(self.confirm_epochs, "epoch")
        unseen = "the held-out folds" if folds else "the test split"
        return f"the best {self.top_k}, {epochs} on {each}, then {unseen}"

    def recorded_options(self) -> dict[str, Any]:
        """The options that are recorded, with those that the plan settled, as JSON-like data."""
        settled = replace(
            self.options,
            top_k=self.top_k,
            seeds=self.seeds,
            confirm_epochs=self.confirm_epochs,
        )
        own = {"rungs": self.rungs, "portfolio": [dict(point) for point in self.portfolio]}
        return settled.recorded() | own | self.facts | {"bases": recorded_bases(self.bases)}


@dataclass(frozen=True)
class Begun:
    """What a recorded sweep has: its folder, its data (None if gone), and whether trials."""

    folder: SweepFolder
    data: Prepared | None
    trials: bool


def plan_sweep(
    space: Space,
    options: SweepOptions | None = None,
    progress: Progress | None = None,
    begun: Begun | None = None,
) -> Plan:
    """Prepare the data and settle every number of a new sweep, or of a recorded one again.

    A portfolio is chosen and earlier sweeps are read as long as there are no trials.

    Raises:
        ConfigError: a name, metric, method or size is wrong, a grid is asked of a continuous space,
            nothing meets the limits, the metric is undefined on the labels, an earlier sweep
            is of other data, or the folder cannot be written or is taken.
        DataError: the data set cannot be prepared.
        ResourceError: a CPU, GPU or cluster is asked for that does not exist.
        StoreError: the results database cannot be used.
    """
    options = options or SweepOptions()
    if begun is None:
        begun = Begun(_new_folder(space, options), None, trials=False)
    plan = _settled(space, options, progress, begun)
    shape = plan.data.info.shape
    assert shape is not None
    check_limits(space, plan.method, shape, plan.builder.search)
    plan = _counted(plan)
    plan = replace(plan, rungs=decision_epochs(plan))
    plan = _with_few_noted(plan if begun.trials else _with_start(plan))
    if plan.method.stopping == "pbt" and not begun.trials:
        explored_parameters(space)
        plan.population_base()
    return plan


def _new_folder(space: Space, options: SweepOptions) -> SweepFolder:
    """The folder of a new sweep, which is checked before the data are prepared."""
    name = options.name or default_name(expanded(options.out), space.name)
    folder = SweepFolder.of(options.out, name, options.db)
    folder.check_usable(new=True)
    return folder


def _settled(space: Space, options: SweepOptions, progress: Progress | None, begun: Begun) -> Plan:
    """The plan with its data and numbers, before its points are checked and counted."""
    defaults = space.defaults
    options = replace(options, replicates=options.replicates or defaults.replicates)
    method = find_method(options.method or defaults.method, _method_given_by(space, options))
    check_storage(options.storage)
    config = space.config(example(space))
    info = lookup(config.data) if begun.data is None else begun.data.info
    metric = find_metric(options.metric or defaults.metric, info)
    epochs = min(options.epochs or defaults.epochs, config.training.epochs)
    trials = count_trials(space, method, options.trials)
    resources = settled_resources(options, trials, progress)
    data = begun.data or prepared_data(config.data, options, progress)
    data = with_split_notes(data, config)
    plan = Plan(
        options=options,
        folder=begun.folder,
        space=space,
        info=info,
        data=data,
        split_hash=split_hash(data, config),
        metric=metric,
        method=method,
        trials=trials,
        epochs=epochs,
        rungs=(),
        top_k=defaults.confirm_top_k if options.top_k is None else options.top_k,
        seeds=options.seeds or (1 if config.folds else defaults.confirm_seeds),
        confirm_epochs=options.confirm_epochs or epochs,
        resources=resources,
        first=config,
        notes=(quick_notes(space) if options.quick else ()) + alike_notes(data, space.probed()),
    )
    plan = replace(plan, first=plan.builder.search(example(space)))
    _check_labels(plan)  # before the bases, which may take long
    if options.quick:
        return plan
    plan = replace(plan, bases=compact_bases(space, data, config, progress))
    return replace(plan, first=plan.builder.search(example(space)))


def _counted(plan: Plan) -> Plan:
    """Cut the trials to the number of different configurations, and add a note that says so."""
    shape = plan.data.info.shape
    assert shape is not None
    count = count_configurations(plan.space, shape, plan.builder.search, plan.trials)
    plan = replace(plan, configurations=count)
    if count is None or count >= plan.trials or plan.options.repeat:
        return plan
    if plan.method.sampler == "grid" and plan.options.trials is None:
        return replace(plan, trials=count)
    remedy = "widen the space for more, or train equal configurations again: --repeat"
    different = counted(count, "different configuration")
    note = (
        f"the space has {different} within its limits: {counted(count, 'trial')} instead "
        f"of {plan.trials}; {remedy}"
    )
    return replace(plan, trials=count, notes=(*plan.notes, note))


def _with_start(plan: Plan) -> Plan:
    """Read earlier sweeps, and choose from the portfolio if it is wanted; a grid has none."""
    space, build = plan.space, plan.builder.search
    plan = replace(plan, earlier=read_earlier(plan, space, plan.first.protocol, build))
    wanted = space.defaults.portfolio and not plan.options.no_portfolio
    if not wanted or plan.method.sampler == "grid":
        return plan
    shape = plan.data.info.shape
    assert shape is not None
    return replace(plan, portfolio=tuple(chosen_portfolio(space, shape, build, plan.trials)))


def _check_labels(plan: Plan) -> None:
    """Check that the metric is defined where trials are evaluated."""
    confirm = plan.builder.confirm(plan.first.model_dump(mode="json")) if plan.top_k else None
    check_labels(plan.data, plan.metric, plan.first, confirm)


def _method_given_by(space: Space, options: SweepOptions) -> str:
    return "--method" if options.method else f"budget.method of {space.source} or --method"


def _with_few_noted(plan: Plan) -> Plan:
    """The plan, with a note where there are fewer trials than are to be confirmed."""
    if plan.top_k <= plan.trials:
        return plan
    note = f"only {counted(plan.trials, 'trial')} to confirm {plan.top_k} of"
    return replace(plan, notes=(*plan.notes, note))
