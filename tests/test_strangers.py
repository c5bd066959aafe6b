"""Nothing that is loaded executes code: every place that reads a file is looked at here."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdf_search.data.raw.zinc import _TensorUnpickler

ROOT = Path(__file__).parents[1]
FILES = [
    path
    for room in ("pdf_search", "reports", "search_spaces")
    for path in (ROOT / room).rglob("*.py")
]
EXECUTE = {
    *("eval", "exec", "compile", "execfile"),
    *("pickle.load", "pickle.loads", "cloudpickle.load", "cloudpickle.loads"),
    *("ray.cloudpickle.load", "ray.cloudpickle.loads", "pickle.Unpickler", "marshal.loads"),
    *("joblib.load", "dill.load", "pd.read_pickle", "pandas.read_pickle", "shelve.open"),
    *("yaml.load", "yaml.load_all", "yaml.full_load", "yaml.unsafe_load", "torch.jit.load"),
    *("torch.hub.load", "torch.serialization.add_safe_globals", "runpy.run_path"),
}
# Ray writes a trial's exception for the driver, in this session's own folder.
ALLOWED = {("pdf_search/sweep/tune/callbacks.py", "ray.cloudpickle.loads")}


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Every call: the file, the name that is called, and the call."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield path.relative_to(ROOT).as_posix(), ast.unparse(node.func), node


def keyword(call: ast.Call, name: str) -> str:
    return next((ast.unparse(k.value) for k in call.keywords if k.arg == name), "")


def test_no_call_executes_what_it_loads() -> None:
    found = list(calls())
    assert len(found) > 5000
    assert {(file, name) for file, name, _ in found if name in EXECUTE} == ALLOWED
    loads = [(file, call) for file, name, call in found if name == "torch.load"]
    assert len(loads) >= 3
    for file, call in loads:
        assert keyword(call, "weights_only") == "True", file
    for file, name, call in found:
        if name in ("np.load", "numpy.load", "np.save", "np.savez"):
            assert keyword(call, "allow_pickle") in ("", "False"), file


def test_yaml_is_read_by_safe_loaders_alone() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "yaml":
                assert node.attr not in ("Loader", "FullLoader", "UnsafeLoader", "CLoader"), path


class Evil:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("wrap", [lambda evil: evil, lambda evil: [{"atom_type": evil}]])
def test_a_pickle_of_zinc_cannot_run_code(tmp_path: Path, wrap: object) -> None:
    mark, file = tmp_path / "mark", tmp_path / "train.pickle"
    file.write_bytes(pickle.dumps(wrap(Evil(mark))))  # type: ignore[operator]
    with file.open("rb") as stream, pytest.raises(pickle.UnpicklingError, match="only tensors"):
        _TensorUnpickler(stream).load()
    assert not mark.exists()
    pickle.loads(file.read_bytes())  # which does
    assert mark.exists()
