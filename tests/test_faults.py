"""The list of planted faults (``benchmarks/mutations.py``) keeps up with the code."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.mutations import PROJECT, Fault, NotFoundError, load_faults, run_tests

FAULTS = load_faults()


def test_names_differ() -> None:
    assert [name for name, count in Counter(f.name for f in FAULTS).items() if count > 1] == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_place_of_a_fault_is_there_once_and_it_changes_the_code(fault: Fault) -> None:
    text = (PROJECT / fault.file).read_text(encoding="utf-8")
    assert fault.planted_in(text) != text


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_tests_that_should_notice_a_fault_exist(fault: Fault) -> None:
    assert fault.tests
    for test in fault.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((PROJECT / file).read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert not name or name.partition("[")[0] in names, test


def test_a_place_that_is_missing_or_there_twice_is_no_place() -> None:
    fault = Fault("f", "code.py", (("a = 1", "a = 2"),), ("tests",))
    assert fault.planted_in("a = 1\n") == "a = 2\n"
    for text in ("a = 3\n", "a = 1\na = 1\n"):
        with pytest.raises(NotFoundError, match=r"code\.py has [02] times: 'a = 1'"):
            fault.planted_in(text)
    with pytest.raises(SyntaxError):
        Fault("f", "code.py", (("a = 1", "a = "),), ()).planted_in("a = 1\n")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("VALUE = 1", (False, "UNNOTICED")),
        ("VALUE = 2", (True, "test_value.py::test_value")),
        ("import nothing_of_this_name", (False, "BROKEN: ")),
        ("def __getattr__(name): raise NameError(f'name {name}')", (False, "BROKEN: ")),
    ],
)
def test_only_a_test_that_judged_a_value_notices(
    code: str, expected: tuple[bool, str], tmp_path: Path
) -> None:
    (tmp_path / "value_under_test.py").write_text(code)
    (tmp_path / "test_value.py").write_text(
        "import value_under_test\n\ndef test_value():\n    assert value_under_test.VALUE == 1\n"
    )
    verdict = run_tests(tmp_path, ["test_value.py"])
    assert verdict.noticed is expected[0]
    assert verdict.words.startswith(expected[1])
