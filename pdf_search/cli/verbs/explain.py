"""The verb ``explain`` shows what a trained model has learned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions, OutputOptions
from pdf_search.cli.output import facts, print_json, print_result, say, terminal_width
from pdf_search.cli.process import let_idle_threads_sleep
from pdf_search.cli.trained import RunName, TrialOptions, find_run, loaded_to_explain
from pdf_search.errors import ConfigError
from pdf_search.paths import expanded


@dataclass(frozen=True)
class ExplainOptions:
    """The options that choose the graph, channels and replicate to explain."""

    graph: Annotated[
        int | None, Option(min=0, help="Number of the graph. Default: the first for validation.")
    ] = None
    channels: Annotated[
        str | None, Option(metavar="0,1,2", help="Default: four from large to small.")
    ] = None
    replicate: Annotated[int, Option(min=0, help="Which seed or fold of the run.")] = 0

    @property
    def numbers(self) -> list[int] | None:
        """The channels as numbers; None if they were not given.

        Raises:
            ConfigError: they are not numbers.
        """
        if self.channels is None:
            return None
        try:
            return [int(part) for part in self.channels.split(",")]
        except ValueError:
            raise ConfigError(
                f"--channels {self.channels!r}: write numbers with commas, like 0,1,2"
            ) from None


@option_groups
def explain(
    run: RunName,
    view: ExplainOptions,
    which: TrialOptions,
    output: OutputOptions,
    source: DataOptions,
    to: Annotated[
        Path | None, Option(metavar="FOLDER", help="Default: explain/ in the run's folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a trained model learned: f(G), its eigenvectors, smoothness, weight of (eps, k).

    Writes data, plots and one interactive page.
    """
    let_idle_threads_sleep()
    wanted = view.numbers
    stored = find_run(run, which, output)
    from pdf_search.inference import explain as explained
    from pdf_search.inference import summary, write_explanation

    target = expanded(to).resolve() if to is not None else stored.explained
    with loaded_to_explain(stored, source, view.replicate, view.graph) as trained:
        found = explained(trained, view.graph, wanted)
    files = write_explanation(found, target)
    if as_json:
        print_json({**summary(found), "folder": target, "files": files})
        return
    from pdf_search.inference import headline

    print_result(
        f"{headline(found)}\n\n{_channel_table(summary(found))}\n{_depth_table(summary(found))}"
    )
    say(f"written to {target}; open {target / 'explain.html'}")


def _channel_table(found: dict[str, Any]) -> str:
    from reports import render_plain

    header = ["f(G), constant part off", "norm", "constant", "commutator", "outside", "angle"]
    rows = [
        [
            f"channel {c['channel']}",
            f"{c['norm_structure']:.4g}",
            f"{c['constant']:.4g}",
            f"{c['commutator']:.2e}",
            f"{c['outside']:.2e}",
            f"{c['angle_weighted']:.2g}°",
        ]
        for c in found["chosen"]
    ]
    over = found["over_channels"]
    for name in ("median", "max"):
        cells = [f"{over[key][name]:.2e}" for key in ("commutator", "outside")]
        angle = f"{over['angle_weighted'][name]:.2g}°"
        rows.append([f"{name} of {found['channels']} channels", "", "", *cells, angle])
    return render_plain(header, rows, terminal_width())


def _depth_table(found: dict[str, Any]) -> str:
    depths = [
        f"{smooth:.3f} / {similar:.3f}"
        for smooth, similar in zip(found["smoothness"], found["similarity"], strict=True)
    ]
    picks = [f"{pick['basis']} ({pick['explained']:.1%})" for pick in found["picks"][:3]]
    needed = found["importance"]
    return facts(
        {
            "smoothness / similarity by depth": "  ".join(depths),
            "bases that explain f, added up": ", ".join(picks),
            "all bases, linearly": f"{found['linear_share']:.2%}",
            **({"(eps, k) that the network needs": needed} if needed else {}),
        }
    )
