"""An explanation as a whole: on trained models, on odd graphs, and as files."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from pdf_search.data import Prepared
from pdf_search.errors import ConfigError, TrialError
from pdf_search.inference.explanation.explain import MAX_NODES, Explanation, explain
from pdf_search.inference.explanation.files import write_explanation
from pdf_search.inference.explanation.page import explanation_page
from pdf_search.inference.explanation.plain_data import summary
from pdf_search.inference.load import load_trained
from pdf_search.inference.predict import predictions
from tests.graphs.makers import SHAPES, basis, graph_set
from tests.inference.conftest import new_model
from tests.inference.test_matrix import LAP, PDF
from tests.training.trials import folded, run

PLAIN = {"filter_norm": False, "softmax": False}
SETTINGS = {
    "lap-lin": ({"pairs": LAP}, {**PLAIN, "filter": "lin"}),
    "pdf-2l": ({"pairs": PDF}, {**PLAIN, "filter": "2l"}),
    "published": ({"eps": (-0.2, -0.25, -0.3), "k": {"high": 5}}, {"filter": "2l"}),
}


@pytest.fixture(scope="module", params=SETTINGS)
def explained(
    request: pytest.FixtureRequest, mutag: Prepared, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Explanation]:
    """Of a model that was trained for two epochs."""
    grid, model = SETTINGS[request.param]
    config = folded(
        phase="confirm",
        fraction=1.0,
        basis=grid,
        model=model,
        training={"epochs": 2, "standardise_targets": False},
    )
    folder = tmp_path_factory.mktemp("run")
    run(config, mutag, folder=folder, save_at=2)
    return request.param, explain(load_trained(folder, config, mutag, 1))


def test_only_a_fixed_decomposition_commutes(explained: tuple[str, Explanation]) -> None:
    name, found = explained
    commutators = np.array([fact.commutator for fact in found.channels])
    angles = np.array([fact.angle_weighted for fact in found.channels])
    if name == "lap-lin":
        assert commutators.max() < 1e-6
        assert max(fact.angle_max for fact in found.channels) < 1e-4
        assert max(fact.outside for fact in found.channels) < 1e-6
    else:
        assert np.median(commutators) > 1e-3
        assert np.median(angles) > 1


@pytest.mark.parametrize("explained", ["pdf-2l"], indirect=True)
def test_written_files_hold_the_same_numbers(
    explained: tuple[str, Explanation], tmp_path: Path
) -> None:
    _, found = explained
    files = write_explanation(found, tmp_path / "new" / "place")
    folder = tmp_path / "new" / "place"
    assert sorted(file.name for file in folder.iterdir()) == files
    channels = pd.read_csv(folder / "channels.csv")
    commutators = [fact.commutator for fact in found.channels]
    assert channels["commutator"].tolist() == pytest.approx(commutators, rel=1e-14)
    assert channels["shown"].sum() == len(found.chosen) == 4
    stored = np.load(folder / "matrices.npz")
    assert (stored["full"][2] == found.chosen[2].full).all()
    together = stored["structure"] + stored["constant"][:, None, None] * stored["support"]
    assert together == pytest.approx(stored["full"])
    shares = stored[f"shares_{found.chosen[0].channel}"]
    assert shares.shape[1] == len(found.chosen[0].spaces.sizes)
    assert shares.sum(0) == pytest.approx(1)
    spectrum = pd.read_csv(folder / "spectrum.csv").groupby("channel")["eigenvalue"].sum()
    for detail in found.chosen:
        assert spectrum[detail.channel] == pytest.approx(np.trace(detail.structure))
    signals = pd.read_parquet(folder / "signals.parquet")
    assert len(signals) == stored["states"].shape[0] * stored["states"].shape[2]
    response = pd.read_parquet(folder / "response.parquet")
    assert response["pairs"].sum() == found.response.pairs.sum()
    weights = pd.read_csv(folder / "weights.csv")
    assert weights["basis"].tolist() == list(found.basis_names)
    assert json.loads((folder / "summary.json").read_text())["graph"] == found.graph
    page = (folder / "explain.html").read_text()
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", page)
    assert page.count("Plotly.newPlot(") >= 6


@pytest.mark.parametrize("explained", ["pdf-2l"], indirect=True)
def test_the_recorded_importance_map_is_shown(
    explained: tuple[str, Explanation], tmp_path: Path
) -> None:
    _, found = explained
    one = {"none": 1.0, "all": 0.2, "errors": [0.6, 0.4, 0.5]}
    tree = {
        "grid": [[0.0, 1], [-0.2, 1], [-0.2, 3]],
        "alike": [[0], [1, 2], [1, 2]],
        "graphs": 50,
        "replicates": [{**one, "margin": 0.2, "margin_se": 0.01}],
    }
    known = replace(found, trained=replace(found.trained, importance=tree))
    assert "importance.csv" in write_explanation(known, tmp_path)
    table = pd.read_csv(tmp_path / "importance.csv")
    assert table["share"].tolist() == pytest.approx([0.5, 0.75, 0.625])
    assert table["bundle"].tolist() == [False, True, True]
    sentence = "(-0.2, 1) alone keeps 75% of what the bases give"
    assert summary(known)["importance"].startswith(sentence)
    page = (tmp_path / "explain.html").read_text()
    assert sentence in page
    assert 'id="figure-importance"' in page
    without = replace(found, trained=replace(found.trained, importance=None))
    assert summary(without)["importance"] is None
    assert "figure-importance" not in explanation_page(without)


def test_text_of_a_page_is_escaped(explained: tuple[str, Explanation]) -> None:
    _, found = explained
    info = replace(found.trained.facts.info, title="a <b> & 'c'")
    facts = replace(found.trained.facts, info=info)
    page = explanation_page(replace(found, trained=replace(found.trained, facts=facts)))
    assert page.count("What a &lt;b&gt; &amp; &#39;c&#39;&#39;s model learned") == 2
    assert "<b>" not in page.partition("</script>")[2]
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert page.endswith("</html>\n")


def test_it_is_the_state_after_each_layer(explained: tuple[str, Explanation]) -> None:
    _, found = explained
    states, model = found.signals.states, found.trained.model
    assert states.shape == (3, found.nodes, 8)
    pooled = torch.from_numpy(states[-1]).float()[None].mean(1, keepdim=True)
    one = found.trained.data.graphs.subset(np.array([found.graph]))
    with torch.no_grad():
        encoded = model.nodes(torch.from_numpy(np.array(one.nodes)))
        assert encoded[0].numpy() == pytest.approx(states[0], abs=1e-6)
        output = model.head(pooled)
    expected = predictions(found.trained, one)[0]
    assert output[0].softmax(-1).numpy() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("number", range(len(SHAPES)))
@pytest.mark.parametrize("model", [{}, {"filter": "lin", "channels": "shd"}, {"softmax": True}])
def test_odd_graphs(number: int, model: dict, tmp_path: Path) -> None:
    graphs = graph_set(SHAPES)
    found = explain(new_model(graphs, basis(PDF), **model), number, (0,))
    assert found.nodes == SHAPES[number][0]
    for fact in found.channels:
        assert np.isfinite(list(asdict(fact).values())).all()
    assert np.isfinite(found.signals.smoothness).all()
    json.dumps(summary(found))
    if number < 2 and not model:
        write_explanation(found, tmp_path)


def test_channels_and_graphs_that_are_not_there() -> None:
    chain = (MAX_NODES + 1, tuple((i, i + 1) for i in range(MAX_NODES)))
    trained = new_model(graph_set([*SHAPES, chain]), basis(PDF))
    found = explain(trained, 3, (5, 2, 5))
    assert [detail.channel for detail in found.chosen] == [5, 2]
    assert explain(trained).graph == 0
    for channels in [(8,), (-1,), ()]:
        with pytest.raises(ConfigError, match=r"channels 0\.\.7"):
            explain(trained, 3, channels)
    with pytest.raises(ConfigError, match=r"graphs 0\.\.9"):
        explain(trained, 10)
    with pytest.raises(ConfigError, match="601 nodes"):
        explain(trained, 9)
    shared = new_model(graph_set(SHAPES), basis(PDF), channels="shd")
    with pytest.raises(ConfigError, match="shared by all channels"):
        explain(shared, 3, (1,))


def test_a_diverged_model() -> None:
    trained = new_model(graph_set(SHAPES), basis(PDF))
    with torch.no_grad():
        trained.model.head.bias.fill_(torch.nan)
    with pytest.raises(TrialError, match="diverged"):
        explain(trained)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = explain(new_model(graph_set(SHAPES), basis(PDF)), 3)
    with pytest.raises(ConfigError, match="cannot be written"):
        write_explanation(found, tmp_path / "file")
