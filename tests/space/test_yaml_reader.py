from __future__ import annotations

import pytest

from pdf_search.errors import SpaceError
from pdf_search.space.files.yaml_reader import read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E+2", 100.0),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("010", 10),
        ("1_000", 1000),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("1l", "1l"),
        ("2l", "2l"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("'yes'", "yes"),
        ('"on"', "on"),
        ("nothing", "nothing"),
        ("y", "y"),
    ],
)
def test_scalars_read_as_they_look(text: str, value: object) -> None:
    read = read_yaml(f"key: {text}", "f").tree["key"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("word", ["yes", "No", "ON", "off"])
def test_bare_words_that_yaml_versions_read_differently_are_refused(word: str) -> None:
    with pytest.raises(SpaceError, match=f"f:2: model.softmax: a bare {word} is ambiguous"):
        read_yaml(f"model:\n  softmax: {word}", "f")


def test_a_key_given_twice_names_both_lines() -> None:
    with pytest.raises(SpaceError, match=r"f:3: a: the key is already given at f:1"):
        read_yaml("a: 1\nb: 2\na: 3", "f")


def test_every_line_is_known() -> None:
    marks = read_yaml("a:\n  b:\n    - 1\n    - c: 2", "f").marks
    assert marks["a", "b"] == "f:2"
    assert marks["a", "b", 1] == "f:4"
    assert marks["a", "b", 1, "c"] == "f:4"


def test_float_keys_become_text() -> None:
    assert read_yaml("powers: {-0.20: 1, 0.0: 2}", "f").tree == {"powers": {"-0.2": 1, "0.0": 2}}


def test_syntax_errors_name_the_line() -> None:
    with pytest.raises(SpaceError, match=r"f:2: not valid YAML: .*; check indentation"):
        read_yaml("a: 1\nb: [1, 2}", "f")


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.system ['true']", "!!python/name:os.system ''", "!x 3"]
)
def test_tags_are_never_followed(text: str) -> None:
    read = None
    with pytest.raises(SpaceError, match="f:1"):
        read = read_yaml(f"a: {text}", "f")
    assert read is None


def test_two_documents_are_refused() -> None:
    with pytest.raises(SpaceError, match="f:2"):
        read_yaml("a: 1\n---\nb: 2", "f")


def test_a_file_that_contains_itself_is_refused() -> None:
    with pytest.raises(SpaceError, match="nest too deeply"):
        read_yaml("a: &x [*x]", "f")


def test_aliases_that_explode_are_refused() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for i in range(1, 9):
        lines.append(f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]")
    with pytest.raises(SpaceError, match="nest too deeply"):
        read_yaml("\n".join(lines), "f")


@pytest.mark.parametrize("text", ["a: " + "[" * 5000, "description: " + "x" * 300_000])
def test_files_that_are_no_space_are_refused_at_once(text: str) -> None:
    with pytest.raises(SpaceError, match=r"mine\.yaml: .* too (deeply|many)"):
        read_yaml(text, "mine.yaml")
