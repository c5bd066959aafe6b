"""Names of files and columns that mean something to YAML, after ``--set``."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdf_search.errors import SpaceError
from pdf_search.space.settings.set_option import parse_override

ODD = ["% inhibition", "@10uM", "IC50: nM", "pKa #2", "2019", "010", "1e3", "NO", "true", "[M+H]"]
ODD += ["*", "&a", "!b", "{x}", "a, b", "- c", "? d", "`e`", "it's", "Löslichkeit µM", "a\nb", "|"]


@pytest.mark.parametrize("name", [*ODD, "batch #2.csv"])
def test_the_name_of_a_file_or_column_stands_as_it_was_typed(name: str) -> None:
    if not name.startswith(("{", "'", '"')):
        assert parse_override(f"data.smiles={name}").value == name
        assert parse_override(f"data.path={name}").value == str(Path(name).absolute())
        assert parse_override(f"data.targets={name}").value in (name, [name[1:-1]])


def told(name: str) -> str:
    """What the error says to write instead; the text itself if there is none."""
    text = f"data.targets=[{name}]"
    try:
        parse_override(text)
    except SpaceError as error:
        _, _, remedy = str(error).partition(" must be quoted: --set ")
        return shlex.split(remedy)[0]
    return text


@pytest.mark.parametrize("name", ODD)
def test_a_listed_name_stands_or_its_quoted_form_is_told(name: str) -> None:
    found = parse_override(told(name)).value
    assert ", ".join(found) == name


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), min_size=1))
def test_a_quoted_list_is_what_was_quoted(names: list[str]) -> None:
    quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
    assert parse_override(f"data.targets=[{quoted}]").value == names


def test_quotes_and_nothing_are_yaml() -> None:
    assert parse_override("data.smiles='NO'").value == "NO"
    assert parse_override('data.path=" a.csv"').value == str(Path(" a.csv").absolute())
    assert parse_override("data.path=null").value is None
    assert parse_override("data.smiles=").value is None


def test_home_is_where_tilde_points(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_override("data.path=~/own.csv").value == str(tmp_path / "own.csv")
    assert parse_override("data={name: csv, path: ~/own.csv}").value["path"].startswith("/")
    assert parse_override("data.path=~nobody-here/x").value == str(
        Path("~nobody-here/x").absolute()
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model.hidden=64 # wide", "'# wide' is a comment; quote a value that holds a #"),
        ("limits=[parameters <= 3] # few", "is a comment"),
        ("description=#1", "is a comment"),
        ("data={name: csv, path: batch #2.csv}", "not valid YAML"),
        ("data.path='70s.csv", "or write --set 'data.path="),
        ("data.targets=[a, [b]]", """--set 'data.targets=["a", "[b]"]'"""),
        ("data.targets=[a] # b", "must be quoted"),
    ],
)
def test_nothing_is_cut_in_silence(text: str, said: str) -> None:
    with pytest.raises(SpaceError) as caught:
        parse_override(text)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"--set {text}: ")
