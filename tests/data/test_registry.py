from __future__ import annotations

import subprocess
import sys

import pytest

from pdf_search.config import CategoricalInput, DataConfig, LinearInput, NoInput
from pdf_search.data import lookup, names
from pdf_search.data.raw.ogb_package import graph_property_sets
from pdf_search.errors import DataError
from pdf_search.records import METRICS, Protocol, Task


@pytest.mark.parametrize(
    ("given", "name", "title"),
    [
        ("ZINC", "zinc", "ZINC"),
        ("IMDB-B", "imdb-binary", "IMDB-B"),
        ("IMDB-BINARY", "imdb-binary", "IMDB-B"),
        ("RDT-B", "reddit-binary", "RDT-B"),
        ("PTC_MR", "ptc_mr", "PTC_MR"),
        ("ptc-mr", "ptc_mr", "PTC_MR"),
        ("ogbg_molhiv", "ogbg-molhiv", "ogbg-molhiv"),
        ("FreeSolv", "freesolv", "FreeSolv"),
    ],
)
def test_spellings(given: str, name: str, title: str) -> None:
    info = lookup(DataConfig(name=given))
    assert (info.name, info.title) == (name, title)


def test_every_name_is_known_and_consistent() -> None:
    assert len(names()) == 2 + 8 + 14
    for name in names():
        info = lookup(DataConfig(name=name))
        assert info.name == name
        assert info.metric in METRICS
        assert info.space
        assert info.shape is not None
        assert info.shape.task is info.task
        assert (info.protocol is Protocol.GIN_CURVE) == isinstance(info.shape.edges, NoInput)


def test_ogb_sets_follow_ogbs_own_table() -> None:
    pcba = lookup(DataConfig(name="ogbg-molpcba"))
    assert pcba.shape is not None
    assert (pcba.task, pcba.metric, pcba.shape.outputs) == (Task.MULTILABEL, "ap", 128)
    assert pcba.shape.nodes == CategoricalInput(
        sizes=(119, 5, 12, 12, 10, 6, 6, 2, 2), init="xavier"
    )
    assert pcba.shape.edges == CategoricalInput(sizes=(6, 7, 3), frozen_zero=True, init="xavier")
    ppa = lookup(DataConfig(name="ogbg-ppa"))
    assert ppa.shape is not None
    assert (ppa.task, ppa.metric, ppa.shape.outputs) == (Task.MULTICLASS, "accuracy", 37)
    assert ppa.shape.edges == LinearInput(features=7)
    for name, row in graph_property_sets().items():
        if "-mol" in name:
            shape = lookup(DataConfig(name=name)).shape
            assert shape is not None
            assert shape.outputs == int(row["num tasks"])


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("mutagg", "mutag"),
        ("ogbg-molpbca", "ogbg-molpcba"),
        ("rdt-binary", "reddit-binary"),
        ("free_solv", "freesolv"),
    ],
)
def test_near_misses_are_named(wrong: str, meant: str) -> None:
    with pytest.raises(DataError, match=f"did you mean .*{meant}"):
        lookup(DataConfig(name=wrong))


def test_what_is_not_supported_is_unknown() -> None:
    with pytest.raises(DataError, match="no data set is called 'ogbg-code2'"):
        lookup(DataConfig(name="ogbg-code2"))


def test_metric_and_task_must_fit() -> None:
    assert lookup(DataConfig(name="freesolv", metric="mae")).metric == "mae"
    with pytest.raises(DataError, match="does not measure regression"):
        lookup(DataConfig(name="freesolv", metric="rocauc"))
    with pytest.raises(DataError, match="did you mean accuracy"):
        lookup(DataConfig(name="mutag", metric="acuracy"))
    with pytest.raises(DataError, match=r"data\.task"):
        lookup(DataConfig(name="mutag", task=Task.REGRESSION))
    with pytest.raises(DataError, match=r"data\.path belongs to own molecules"):
        lookup(DataConfig(name="mutag", path="mine.csv"))


def test_looking_up_needs_neither_torch_nor_network() -> None:
    code = (
        "import sys, threading, socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "socket.getaddrinfo = socket.socket.connect = refuse\n"
        "from pdf_search.config import DataConfig\n"
        "from pdf_search.data import lookup, names\n"
        "[lookup(DataConfig(name=n)) for n in names()]\n"
        "assert 'outdated' not in sys.modules and threading.active_count() == 1\n"
        "heavy = {'torch', 'pandas', 'sklearn', 'torch_geometric', 'ray'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=False, capture_output=True
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")
