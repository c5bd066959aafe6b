"""What is wrong in a space file is named with file, line, key and remedy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pdf_search.data import Asked
from pdf_search.errors import SpaceError
from pdf_search.space import load_space, load_study

from .conftest import Write

HEAD = "data: {name: zinc}\nbasis: {pairs: [[-0.1, 4]]}\n"


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("model: {hiden: 3}", "3: model.hiden: unknown key; did you mean hidden?"),
        ("modle: {hidden: 3}", "3: modle: unknown key; did you mean model?"),
        ("model:\n  hidden: {choise: [1]}", "4: model.hidden: "),
        ("model: {hidden: {choice: []}}", "3: model.hidden: give a list of values"),
        ("model: {hidden: {choice: [8, 8]}}", "3: model.hidden[1]: the option 8 is there twice"),
        (
            "model: {hidden: {choice: [8, eight]}}",
            "3: model.hidden[1]: 'eight' does not fit: give a whole",
        ),
        (
            "model: {hidden: {choice: [8, true]}}",
            "[1]: true does not fit: give a whole",
        ),
        ("model: {hidden: {choice: [8, .nan]}}", "3: model.hidden[1]: nan is no finite number"),
        (
            "points_to_evaluate: [{model: {hidden: 8}}]",
            "3: points_to_evaluate[0].model: {'hidden': 8} does not fit: give a text or a whole",
        ),
        ("model: {dropout: false}", "3: model.dropout: false does not fit: give a number"),
        (
            "model: {filter: fixed, coefficients: [true]}",
            "3: model.coefficients: [True] does not fit: give a number",
        ),
        (
            "model: {filter: {choice: [lin, 3l]}}",
            "3: model.filter[1]: '3l' does not fit: give lin, 1l",
        ),
        ("model: {hidden: {range: [8, 4]}}", "3: model.hidden.range: low 8 is above high 4"),
        ("model: {hidden: {range: [8]}}", "3: model.hidden.range: give two numbers"),
        ("model: {hidden: {range: [8, .nan]}}", "range: nan is no finite number"),
        ("model: {hidden: {range: [8, .inf]}}", "range: inf is no finite number"),
        ("model: {hidden: {range: [0, 4]}}", "3: model.hidden: 0 is too small: give 1 or more"),
        (
            "model: {hidden: {range: [8, 16], step: 3}}",
            "steps of 3 from 8 never reach 16; end at 14",
        ),
        (
            "model: {hidden: {range: [8, 16], stp: 4}}",
            "3: model.hidden.stp: unknown key of a domain",
        ),
        ("model: {hidden: {range: [8.0, 16.0]}}", "3: model.hidden: takes whole numbers"),
        ("model: {hidden: {range: [8, 16.5], integer: true}}", "16.5 is not a whole number"),
        ("model: {dropout: {range: [0, 0.5], log: true}}", "log needs ends above 0, and low is 0"),
        (
            "training: {weight_decay: {range: [0, 1]}}",
            "3: training.weight_decay: takes real numbers",
        ),
        ("training: {learning_rate: {range: [0.1, 1.0], log: maybe}}", "log is true or false"),
        (
            "training: {learning_rate: {range: [0.1, 1.0], log: true, step: 0.1}}",
            "log and step exclude each other",
        ),
        ("training: {epochs: {choice: [1, 2]}}", "3: training.epochs: cannot be searched"),
        ("seeds: {choice: [1, 2]}", "3: seeds: cannot be searched"),
        (
            "training: {schedule: {kind: stp}}",
            "3: training.schedule: kind 'stp' is none of constant",
        ),
        ("training: {schedule: {kind: step, gamma: 0.5}}", "3: training.schedule.step: missing"),
        ("phase: confirm", "3: phase: not part of a space"),
        ("stop_epoch: 3", "3: stop_epoch: not part of a space: write budget: {epochs"),
        ("metric: {a: 1}", "3: metric: {'a': 1} does not fit: give a text"),
        ("metric: mea", "3: metric: no metric mea; did you mean mae?"),
        (
            "metric: accuracy",
            "3: metric: accuracy does not measure regression (ZINC); fitting: mae",
        ),
        (
            "budget: {trials: 9999999999999}",
            "3: budget.trials: 9999999999999 is too large: give 1,000,000 or less",
        ),
        ("model: {hidden: 65537}", "3: model.hidden: 65537 is too large: give 65,536 or less"),
        (
            "model: {layers: {choice: [2, 99999999999999999999]}}",
            "3: model.layers[1]: 99999999999999999999 is too large: give 1,000 or less",
        ),
        ("model: {layers: {range: [1, 1001]}}", "3: model.layers: 1001 is too large"),
        ("training: {batch_size: 100000001}", "3: training.batch_size: 100000001 is too large"),
        (
            "training: {schedule: {kind: cosine, until: 1000001}}",
            "3: training.schedule.until: 1000001 is too large: give 1,000,000 or less",
        ),
        (
            "training: {schedule: {kind: milestones, milestones: [5, 1000001], gamma: 0.5}}",
            "3: training.schedule: 1000001 is too large: give 1,000,000 or less",
        ),
        ("budget: {trails: 3}", "3: budget.trails: unknown key; did you mean trials?"),
        (
            "budget:\n  confirm:\n    top_k: 0",
            "5: budget.confirm.top_k: 0 is too small: give 1 or more (how many of the best",
        ),
        ("budget: {epochs: 900}", "3: budget.epochs: 900 is more than training.epochs = 100"),
        (
            "points_to_evaluate: [znc]",
            "3: points_to_evaluate[0]: no published setting 'znc'; did you mean zinc?",
        ),
        ("points_to_evaluate: [{model.hidden: 3}]", "model.hidden: no domain of this space"),
        ("folds: 10\nprotocol: split", "4: protocol: protocol split does not go with folds = 10"),
        ("limits: [parameters =< 3]", "3: limits[0]: 'parameters =< 3': not a comparison"),
        (
            "limits:\n  - paramters <= 3",
            "4: limits[0]: 'paramters <= 3': no name paramters; did you",
        ),
        ("limits: [model.filter <= 3]", "3: limits[0]: 'model.filter <= 3': cannot be compared"),
        (
            "training: {schedule: {choice: [{kind: step, step: {range: [1, 2]}, gamma: 0.5}]}}",
            "an option with domains of its own needs a name",
        ),
        (
            "training: {schedule: {kind: milestones, milestones: [{range: [1, 2]}], gamma: 0.5}}",
            "3: training.schedule.milestones: a domain cannot stand in a list",
        ),
    ],
)
def test_each_error_names_line_key_and_remedy(write: Write, lines: str, error: str) -> None:
    path = write(HEAD + lines + "\n")
    with pytest.raises(SpaceError, match=re.escape(error)) as caught:
        load_space(path)
    assert str(caught.value).startswith(path)


@pytest.mark.parametrize(
    ("basis", "error"),
    [
        (
            "eps: {low: -0.7, high: 0.0}\n  k: 3",
            ":3: basis.eps.low: eps = -0.7 is outside [-0.5, 0]",
        ),
        ("eps: {choice: [[-0.1], [0.2]]}\n  k: 3", ":2: basis: eps = 0.2 is outside"),
        (
            "eps: {low: {range: [-0.9, 0.0]}, high: 0.0}\n  k: 3",
            ":3: basis.eps.low: eps = -0.9 is outside",
        ),
        ("eps: {lo: -0.2, high: 0.0}\n  k: 3", ":3: basis.eps.lo: unknown key; did you mean low?"),
        (
            "eps: [-0.2]\n  k: {low: 1, high: 1000000000}",
            ":4: basis.k.high: k = 1000000000 is outside",
        ),
        (
            "eps: {low: -0.5, high: 0.0, step: 1e-15}\n  k: 1",
            ":3: basis.eps.step: 1e-15 is too small: give 0.0001",
        ),
        ("eps: [-0.2]", "give exactly one of: eps together with k, powers, pairs"),
        ("pairs: [[-0.2, 3]]\n  support: {}", ":4: basis.support.hops: missing; add it"),
        ("pairs: [[-0.2, 3]]\n  support: {hop: 2}", ":4: basis.support.hop: unknown key; did you"),
    ],
)
def test_a_wrong_basis(write: Write, basis: str, error: str) -> None:
    path = write(f"data: {{name: zinc}}\nbasis:\n  {basis}\n")
    with pytest.raises(SpaceError, match=re.escape(error)):
        load_space(path)


def test_all_problems_of_a_file_come_at_once(write: Write) -> None:
    path = write(
        """
        data: {name: zinc}
        metric: mea
        budget: {trials: 0}
        limits: [paramters <= 3]
        basis: {pairs: [[-0.1, 4]]}
        model: {hiden: 3, layers: none}
        """
    )
    with pytest.raises(SpaceError) as caught:
        load_space(path)
    places = [line.removeprefix(path).split(": ")[:2] for line in str(caught.value).splitlines()]
    assert sorted(places) == [
        [":2", "metric"],
        [":3", "budget.trials"],
        [":4", "limits[0]"],
        [":6", "model.hiden"],
        [":6", "model.layers"],
    ]


ONE_OF_EACH = """
extends: zink
description: [a]
descripton: b
phase: search
metric: rocauc
budget: {trials: 0, epochs: 900, top_k: 3}
limits: [training.loss <= 3, paramters <= 3, 3 =<, model.hidden <= 99]
points_to_evaluate: [znc, zinc]
data: {name: zinc, split_sed: 3}
protocol: split
folds: 10
seeds: {choice: [1, 2]}
basis:
  eps: {range: [-0.1, -0.3]}
  k: {low: 1, high: 99}
model:
  hidden: {choice: [8, eight]}
  hidden: 3
  dropout: {range: [0, 1]}
  softmax: yes
  layers: {choice: []}
  readout: {choice: {"a.b": mean}}
training:
  epochs: 100
  learning_rate: {range: [0.1, 0.2], stp: 3}
  schedule: {kind: stp}
"""


def test_one_error_of_each_kind(write: Write) -> None:
    path = write(ONE_OF_EACH)
    with pytest.raises(SpaceError) as caught:
        load_space(path, ["model.hiden=3", "hidden", "training.batch_size=x"])
    lines = str(caught.value).splitlines()
    found = [line.removeprefix(path).removeprefix("search_spaces/zinc.yaml") for line in lines]
    assert sorted(line.split(": ", 2)[0] + ": " + line.split(": ", 2)[1] for line in found) == [
        "--set hidden: write --set path=value, for example --set model.hidden=64",
        "--set model.hiden=3: model.hiden",
        "--set training.batch_size=x: training.batch_size",
        ":10: protocol",
        ":12: seeds",
        ":14: basis.eps.range",
        ":15: basis.k.high",
        ":17: model.hidden[1]",
        ":18: model.hidden",
        ":19: model.dropout",
        ":19: model.dropout",
        ":1: extends",
        ":20: model.softmax",
        ":21: model.layers",
        ":22: model.readout.a.b",
        ":25: training.learning_rate.stp",
        ":26: training.schedule",
        ":2: description",
        ":3: descripton",
        ":4: phase",
        ":5: metric",
        ":6: budget.epochs",
        ":6: budget.top_k",
        ":6: budget.trials",
        ":7: limits[0]",
        ":7: limits[1]",
        ":7: limits[2]",
        ":8: points_to_evaluate[0]",
        ":9: data.split_sed",
    ]


def test_what_goes_together_is_checked_beside_a_wrong_part(write: Write) -> None:
    path = write(
        """
        data: {name: zinc}
        basis: {pairs: [[-0.1, 4]]}
        model: {hiden: 3}
        training: {weight_decay: {range: [0, 1]}}
        folds: 10
        protocol: split
        limits: [training.loss <= 3]
        """
    )
    with pytest.raises(SpaceError) as caught:
        load_space(path)
    places = [line.removeprefix(path).split(": ")[:2] for line in str(caught.value).splitlines()]
    assert sorted(places) == [
        [":3", "model.hiden"],
        [":4", "training.weight_decay"],
        [":6", "protocol"],
        [":7", "limits[0]"],
    ]


ONE_OF_EACH_ROW = """
titel: t
table: reslts
seeds: 0
seeds: 1
protocols: [split, split]
rows:
  - {name: a, paper: znic, seeds: [1], model: {hiden: 3}}
  - {paper: zinc, training: {epochs: x}}
  - {name: b, paper: zinc, published: {method: c, tabel: d}, data: {name: mutagg}}
  - {name: c, data: {name: zinc}}
  - zinc
  - {name: d, paper: zinc, candidates: [{name: e}]}
  - {name: f, paper: zinc, papr: 3, basis: {eps: [0.3], k: 1}}
  - {name: g, paper: zinc}
  - {name: g, paper: zinc, data: {train_fraction: 0.5}}
"""


def test_one_error_of_each_kind_in_a_study(write: Write) -> None:
    path = write(ONE_OF_EACH_ROW)
    with pytest.raises(SpaceError) as caught:
        load_study(path, ["model.layer=3", "hidden", "seeds=3"])
    found = [line.removeprefix(path) for line in str(caught.value).splitlines()]
    assert sorted(line.split(": ", 2)[0] + ": " + line.split(": ", 2)[1] for line in found) == [
        "--set hidden: write --set path=value, for example --set model.hidden=64",
        "--set model.layer=3: model.layer",
        "--set seeds=3: seeds",
        ":10: rows[3].basis",
        ":11: rows[4]",
        ":12: rows[5].candidates",
        ":13: rows[6].basis",
        ":13: rows[6].papr",
        ":15: rows[8]",
        ":15: rows[8].name",
        ":1: titel",
        ":1: title",
        ":2: table",
        ":4: seeds",
        ":4: seeds",
        ":5: protocols",
        ":5: protocols",
        ":7: rows[0].model.hiden",
        ":7: rows[0].paper",
        ":7: rows[0].seeds",
        ":8: rows[1].name",
        ":8: rows[1].training.epochs",
        ":9: rows[2].data.name",
        ":9: rows[2].published.tabel",
    ]


def test_an_unknown_data_set_names_close_ones(write: Write) -> None:
    path = write("data:\n  name: mutga\nbasis: {pairs: [[-0.1, 4]]}\n")
    with pytest.raises(SpaceError, match=r"mine\.yaml:2: data\.name: .*did you mean mutag"):
        load_space(path)


@pytest.mark.parametrize("text", ["", "- 1\n- 2\n", "just text\n"])
def test_a_file_that_is_no_mapping(write: Write, text: str) -> None:
    with pytest.raises(SpaceError, match="not a space: it needs keys such as data, basis"):
        load_space(write(text))


def test_what_is_missing_is_named(write: Write) -> None:
    with pytest.raises(SpaceError, match="data: missing; add it"):
        load_space(write("basis: {pairs: [[-0.1, 4]]}\n"))


def test_no_such_file_and_no_such_name() -> None:
    with pytest.raises(SpaceError, match=r"nope\.yaml: no such file; shipped spaces: enzymes"):
        load_space("./nope.yaml")
    with pytest.raises(SpaceError, match=r"no search space 'znc'; did you mean zinc\?"):
        load_space("znc")


def test_a_file_without_a_suffix_is_said_to_need_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("smiles,y\nC,1\n")
    with pytest.raises(SpaceError, match="There is a file mine: its name must end as its kind"):
        load_space("mine")


@pytest.mark.parametrize("asked", [None, Asked(targets=("y",))])
def test_a_compressed_file_whose_name_does_not_tell_its_kind_is_no_space(
    asked: Asked | None,
) -> None:
    said = r"^nofile\.zip: the name of a compressed table ends .* such as nofile\.csv\.zip; rename"
    with pytest.raises(SpaceError, match=said):
        load_space("nofile.zip", asked=asked)


def test_extends_names_a_shipped_space(write: Write) -> None:
    with pytest.raises(SpaceError, match=r"mine\.yaml:1: extends: no shipped space 'znic'; did"):
        load_space(write("extends: znic\n"))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("data: {name: zinc}\nmetric: test/mae\n", ":2: metric: "),
        ("data: {name: zinc}\nmetric: test_rmse\n", ":2: metric: "),
        ("data:\n  name: zinc\n  metric: test/mae\n", ":3: data.metric: "),
    ],
)
def test_the_test_split_is_not_for_search(write: Write, text: str, place: str) -> None:
    path = write(text + "basis: {pairs: [[-0.1, 4]]}\n")
    with pytest.raises(SpaceError, match="the test split is not for search") as caught:
        load_space(path)
    assert str(caught.value).startswith(f"{path}{place}test")
    assert len(str(caught.value).splitlines()) == 1


def test_nor_for_a_study(write: Write) -> None:
    row = "{name: a, paper: zinc, data: {name: zinc, metric: test/mae}}"
    path = write(f"title: t\ntable: results\nrows:\n  - {row}\n")
    with pytest.raises(SpaceError, match=r":4: rows\[0\]\.data\.metric: test/mae: the test split"):
        load_study(path)


def test_nor_with_set(write: Write) -> None:
    path = write(HEAD)
    with pytest.raises(SpaceError, match=r"--set metric=test/mae: metric: test/mae: the test spl"):
        load_space(path, ["metric=test/mae"])


def test_a_character_that_yaml_forbids_is_named_with_its_line(write: Write) -> None:
    path = write(HEAD + "name: a\x01b\n")
    with pytest.raises(SpaceError, match=r"mine\.yaml:3: the character U\+0001 cannot stand in"):
        load_space(path)
