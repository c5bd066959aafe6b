"""Predicted against true, on test, of the configuration that the search put first.

Regression: predictions over targets, and residuals over predictions. Classes: how often each true
class is taken for which. Labels: predicted probabilities by true label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from pdf_search.wording import counted
from reports.leading import place_of_first
from reports.pages.theme import COLOURS, SCALE, STRONG, colour_bar, plain, styled
from reports.sweep_data import SweepData
from reports.tables.pooled import pooled_together

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 2000  # graphs drawn of a target
MOST_TARGETS = 4
BINS = 20  # of a probability
ROW_HEIGHT = 400  # pixels
LABEL = 16  # letters of a class at an axis


@dataclass(frozen=True)
class Predicted:
    """Test predictions of one configuration, a row for each graph and task.

    ``table`` has the columns task, index, target, prediction (mean over replicates), spread
    (population standard deviation) and n. ``called`` is its name.
    """

    table: pd.DataFrame
    called: str
    replicates: int


def read_predicted(file: Path | None, data: SweepData) -> Predicted | None:
    """Read the predictions of the first confirmation; None if the file does not hold any.

    Raises:
        OSError, ValueError: the file is there and cannot be read.
    """
    first = next((entry for entry in data.confirmed), None)
    if file is None or first is None or not file.is_file():
        return None
    pooled = [e for e in data.confirm if pooled_together(data.sweep, e.trial, first.trial)]
    runs = [entry.trial.number for entry in pooled]
    import pandas as pd  # noqa: PLC0415  # slow to import

    wanted = [("trial", "in", runs), ("split", "==", "test")]
    rows = pd.read_parquet(file, filters=wanted)
    rows = rows[np.isfinite(rows["target"]) & np.isfinite(rows["prediction"])]
    if rows.empty:
        return None
    groups = rows.groupby(["task", "index"], sort=True)
    table = groups.agg(
        target=("target", "first"),
        prediction=("prediction", "mean"),
        spread=("prediction", lambda values: float(np.std(values))),
        n=("prediction", "size"),
    ).reset_index()
    replicates = len(rows[["trial", "replicate"]].drop_duplicates())
    return Predicted(table, first.called, replicates)


def predicted_figure(found: Predicted, data: SweepData) -> tuple[str, go.Figure]:
    """The figure that fits the task, and the text above it."""
    over = counted(found.replicates, "replicate")
    place = f"{found.called.capitalize()}, the {place_of_first(data)}"
    lead = f"{place}; mean prediction over {over}. "
    if data.metric.name == "accuracy":
        text, figure = _classes(found, data.class_names)
    elif data.metric.percent:
        text, figure = _labels(found, _names(found, data))
    else:
        text, figure = _values(found, _names(found, data), data.unit)
    return lead + text, figure


def _names(found: Predicted, data: SweepData) -> dict[int, str]:
    """The names of the first ``MOST_TARGETS`` targets by their task."""
    tasks = sorted(set(found.table["task"]))[:MOST_TARGETS]
    known = dict(enumerate(data.target_names))
    return {int(task): plain(known.get(int(task), f"target {task}")) for task in tasks}


def _values(found: Predicted, names: dict[int, str], unit: str) -> tuple[str, go.Figure]:
    suffix = f" ({unit})" if unit else ""
    figure = make_subplots(
        len(names),
        2,
        horizontal_spacing=0.1,
        vertical_spacing=0.3 / max(len(names), 2),
        subplot_titles=[
            title
            for name in names.values()
            for title in ((f"{name}: predicted", "residual") if len(names) > 1 else ("", ""))
        ],
    )
    for row, task in enumerate(names, start=1):
        part = _thinned(found.table[found.table["task"] == task])
        _value_traces(figure, part, row)
        figure.update_xaxes(title_text=f"true{suffix}", row=row, col=1)
        figure.update_yaxes(title_text=f"predicted{suffix}", row=row, col=1)
        figure.update_xaxes(title_text=f"predicted{suffix}", row=row, col=2)
        figure.update_yaxes(title_text=f"predicted − true{suffix}", row=row, col=2)
    text = (
        "On the line a prediction is right; a residual is the prediction minus the truth. "
        + _left_out(found, names)
    )
    styled(figure, ROW_HEIGHT * len(names), panels=2)
    return text, figure.update_layout(showlegend=False)


def _value_traces(figure: go.Figure, part: pd.DataFrame, row: int) -> None:
    true, predicted = part["target"], part["prediction"]
    ends = [float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))]
    line = {"color": STRONG, "width": 1, "dash": "dash"}
    facts = np.stack([part["index"], true, predicted, predicted - true, part["spread"]], axis=1)
    hover = (
        "graph %{customdata[0]}: predicted %{customdata[2]:.4g} ± %{customdata[4]:.2g}, "
        "true %{customdata[1]:.4g}, residual %{customdata[3]:.3g}<extra></extra>"
    )
    dots: dict[str, Any] = {
        "mode": "markers",
        "marker": {"color": COLOURS[0], "size": 6, "opacity": 0.6},
        "customdata": facts.astype(np.float32),
        "hovertemplate": hover,
    }
    figure.add_scatter(x=_short(true), y=_short(predicted), row=row, col=1, **dots)
    figure.add_scatter(
        x=ends, y=ends, mode="lines", line=line, hoverinfo="skip", row=row, col=1, name="equal"
    )
    figure.add_scatter(x=_short(predicted), y=_short(predicted - true), row=row, col=2, **dots)
    figure.add_hline(y=0, line=line, row=row, col=2)


def _short(values: pd.Series[float]) -> NDArray[np.float32]:
    return values.to_numpy(dtype=np.float32)


def _thinned(part: pd.DataFrame) -> pd.DataFrame:
    """At most ``MOST_POINTS`` rows, always the same ones."""
    return part if len(part) <= MOST_POINTS else part.sample(MOST_POINTS, random_state=0)


def _left_out(found: Predicted, names: dict[int, str]) -> str:
    counts = found.table.groupby("task").size()
    largest, targets = int(counts.loc[list(names)].max()), len(counts)
    texts = [f"{min(largest, MOST_POINTS):,} of {counted(largest, 'test graph')} drawn."]
    if targets > len(names):
        texts.append(f"The first {len(names)} of {targets} targets.")
    return " ".join(texts)


def _classes(found: Predicted, names: tuple[str, ...]) -> tuple[str, go.Figure]:
    """The confusion matrix: the class of the highest mean probability against the true one."""
    wide = found.table.pivot_table(index="index", columns="task", values="prediction")
    truth = found.table.groupby("index")["target"].first().to_numpy(dtype=int)
    chosen = wide.columns.to_numpy(dtype=int)[wide.to_numpy().argmax(axis=1)]
    classes = [int(task) for task in wide.columns]
    counts = np.array(
        [[int(((truth == t) & (chosen == c)).sum()) for c in classes] for t in classes]
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    labels = [names[c] if c < len(names) else f"class {c}" for c in classes]
    told = list(map(plain, labels))
    facts = [[(counts[t, c], told[t], told[c]) for c in classes] for t in classes]
    places = list(range(len(classes)))
    figure = go.Figure()
    figure.add_heatmap(
        x=places,
        y=places,
        z=shares,
        customdata=facts,
        zmin=0,
        zmax=1,
        colorscale=SCALE,
        xgap=2,
        ygap=2,
        colorbar=colour_bar("share of<br>true class"),
        hovertemplate="true %{customdata[1]}, predicted %{customdata[2]}: "
        "%{customdata[0]} graphs, %{z:.0%}<extra></extra>",
    )
    # By their places: classes of which the first letters are alike have one label.
    names_of = {"tickvals": places, "ticktext": [plain(label, LABEL) for label in labels]}
    figure.update_xaxes(title_text="predicted", showgrid=False, zeroline=False, **names_of)
    figure.update_yaxes(title_text="true", showgrid=False, zeroline=False, **names_of)
    figure.update_yaxes(autorange="reversed")
    right = int((truth == chosen).sum())
    text = f"{right:,} of {counted(len(truth), 'graph')} have their true class as the likeliest."
    return text, styled(figure, height=200 + 44 * len(classes))


def _labels(found: Predicted, names: dict[int, str]) -> tuple[str, go.Figure]:
    figure = make_subplots(1, len(names), subplot_titles=list(names.values()))
    width = 1 / BINS
    edges = np.linspace(0, 1, BINS + 1)
    for column, task in enumerate(names, start=1):
        part = found.table[found.table["task"] == task]
        for label in (0, 1):
            own = part.loc[part["target"] == label, "prediction"].to_numpy()
            counts, _ = np.histogram(np.clip(own, 0, 1), edges)
            figure.add_bar(
                x=edges[:-1] + width / 2,
                y=counts / max(len(own), 1),
                customdata=counts,
                marker={"color": COLOURS[label], "opacity": 0.65},
                name=f"true label {label}",
                legendgroup=str(label),
                showlegend=column == 1,
                hovertemplate="probability about %{x:.2f}: %{customdata} graphs, %{y:.0%}"
                "<extra>%{fullData.name}</extra>",
                row=1,
                col=column,
            )
    figure.update_xaxes(title_text="predicted probability of label 1", range=[0, 1])
    figure.update_yaxes(title_text="share of the label's graphs", row=1, col=1)
    styled(figure, height=360, panels=len(names))
    text = "Probabilities as the network gives them, not calibrated. " + _targets(found, names)
    return text, figure.update_layout(barmode="overlay", bargap=0)


def _targets(found: Predicted, names: Sequence[Any] | dict[int, str]) -> str:
    targets = found.table["task"].nunique()
    return f"The first {len(names)} of {targets} labels." if targets > len(names) else ""
