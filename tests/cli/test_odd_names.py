"""Odd names of columns, files and folders: the same in every verb, and nothing lies elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdf_search.records import METRICS
from pdf_search.results import Store
from pdf_search.sweep.samplers.optuna_storage import open_study, opened_storage
from tests.cli.conftest import Run
from tests.reports import samples

COLUMNS = ["% inhibition", "@10uM", "IC50: nM", "pKa #2", "2019", "NO", "[M+H]", "*"]


def molecules(file: Path) -> None:
    header = ",".join(["smiles", *COLUMNS])
    rows = ["C" * (i + 1) + f",{i / 10}" * len(COLUMNS) for i in range(30)]
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_in_data_and_plan(run: Run, home: Path, name: str) -> None:
    molecules(home / "names.csv")
    quoted = f"data.targets={json.dumps([name])}"
    found = json.loads(run("data", "names.csv", "--set", quoted, "--json").stdout)
    own = ["--set", "data.name=csv", "--set", "data.path=names.csv", "--set", quoted]
    planned = json.loads(run("plan", "freesolv", *own, "--json").stdout)
    assert planned["fingerprint"] == found["fingerprint"]
    assert planned["first"]["data"]["targets"] == [name]
    for words in (["data", "names.csv"], ["plan", "freesolv", *own[:4]]):
        if name in ("2019", "NO"):
            run(*words, "--set", f"data.targets=[{name}]")
        else:
            result = run(*words, "--set", f"data.targets=[{name}]", code=2)
            assert f"must be quoted: --set '{quoted}'" in result.stderr


def test_a_file_whose_name_yaml_would_cut(run: Run, home: Path) -> None:
    molecules(home / "batch #2.csv")
    own = ["data.name=csv", "data.path=batch #2.csv", 'data.targets=["2019"]']
    words = [word for value in own for word in ("--set", value)]
    planned = json.loads(run("plan", "freesolv", *words, "--json").stdout)
    assert planned["first"]["data"]["path"] == str(home / "batch #2.csv")


ODD = "o d'd\"#%41?[x]*{y};&$ü:=~\\n\nnew"


def files_below(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_odd_folder_in_every_option_that_takes_a_path(run: Run, tmp_path: Path) -> None:
    here = tmp_path / ODD
    here.mkdir()
    molecules(here / "-mols #1.csv")
    runs, places = here / "runs", ["--cache", here / "cache", "--data-root", here]
    run("spaces", "freesolv", "--copy", here / "mine.yaml")
    own = [f"data.path={here / '-mols #1.csv'}", "data.name=csv", 'data.targets=["% inhibition"]']
    small = ["model.hidden=4", "model.layers=1", "basis={eps: [-0.3], k: 1}"]
    sets = [word for text in [*own, *small] for word in ("--set", text)]
    train = ["train", here / "mine.yaml", *sets, "--epochs", 1, "--device", "cpu"]
    run(*train, "--name", "one", "--out", runs, *places)
    run("plan", here / "mine.yaml", *sets, "--out", runs, "--db", here / "all.db", *places)
    table = ["--csv", here / "-mols #1.csv", "--to", here / "out.csv"]
    run("predict", runs / "one", *table, *places)
    assert len((here / "out.csv").read_text("utf-8").splitlines()) == 31
    run("explain", "one", "--out", runs, "--to", here / "explained", *places)
    assert (here / "explained" / "explain.html").is_file()
    assert files_below(tmp_path) == {ODD}
    wanted = {"-mols #1.csv", "mine.yaml", "runs", "cache", "out.csv", "explained"}
    assert files_below(here) == wanted


@pytest.mark.parametrize("name", [ODD, "a?b", "a%41", "{SCHEMA_VERSION}"])
def test_a_database_of_any_name(run: Run, home: Path, name: str) -> None:
    folder = home / "runs" / "night"
    for file in (folder / "results.db", home / name):
        with Store(str(file)) as store:
            samples.search(store, samples.sweep())
        with opened_storage(str(file)) as storage:
            open_study(storage, "night", METRICS["rmse"])
    assert json.loads(run("list", "--json").stdout)[0]["name"] == "night"
    assert "night" in run("show", "night", "--db", name).stdout
    assert files_below(home) == {"runs", name}


def test_a_column_over_two_lines_is_quoted(run: Run, home: Path) -> None:
    rows = "".join(f"{'C' * (i + 1)},{i / 10}\n" for i in range(30))
    (home / "wide.csv").write_text(f'smiles,"logS\n[mol/l]"\n{rows}')
    assert "target 'logS\\n[mol/l]'  values: 30" in run("data", "wide.csv").stdout


def test_a_column_that_would_steer_the_terminal_is_escaped(run: Run, home: Path) -> None:
    rows = "".join(f"{'C' * (i % 15 + 1)},{i / 10},{i}\n" for i in range(30))
    (home / "mine.csv").write_text(f"smiles,\x1b[31mred,IC50 [µM]\n{rows}")
    told = run("data", "mine.csv", "--target", "\x1b[31mred", "--target", "IC50 [µM]")
    assert "target IC50 [µM]" in told.stdout
    assert r"\u001b[31mred" in told.stdout  # in the note on doubled molecules
    wrong = run("data", "mine.csv", "--target", "\x9b2J", code=1)
    shown = run("data", "mine.csv", "--target", "IC50 [µM]", "--json").stdout
    assert json.loads(shown)["targets"]
    for text in (told.stdout, told.stderr, wrong.stderr, shown):
        assert not {"\x1b", "\x9b"} & set(text)
