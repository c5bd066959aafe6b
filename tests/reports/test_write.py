import base64
import gzip
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pdf_search.errors import StoreError
from pdf_search.records import Phase, Protocol, State
from pdf_search.results import Store
from reports import find_trial, load_sweep, show_sweep, show_trial, write_report
from reports.grid.numbers import format_seconds
from tests.patience import PATIENCE
from tests.reports import samples

FILES = [
    "leaderboard.csv",
    "leaderboard.md",
    "table.csv",
    "table.md",
    "table.tex",
    "findings.csv",
    "findings.md",
    "report.html",
]


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


def whole(store: Store) -> None:
    record = samples.sweep()
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))


def test_all_files_are_written_and_nothing_else(store: Store, tmp_path: Path) -> None:
    whole(store)
    folder = tmp_path / "a" / "report"
    assert [path.name for path in write_report(store, "night", folder)] == FILES
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    again = {path.name: path.read_bytes() for path in folder.iterdir()}
    write_report(store, "night", folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == again


def test_the_page_is_self_contained_and_whole(store: Store, tmp_path: Path) -> None:
    whole(store)
    write_report(store, "night", tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not [
        tag
        for tag, attributes in page.tags
        if tag in ("script", "link", "img") and ("src" in attributes or "href" in attributes)
    ]
    figures = [at["id"] for _, at in page.tags if at.get("class") == "figure"]
    assert figures == [
        "figure-learning",
        "figure-stopping",
        "figure-pareto",
        "figure-parallel",
        "figure-importance",
    ]
    assert len(text) < 2_500_000  # nearly all of it is plotly's script
    packed = re.findall(r'<script type="text/plain" id="plotly">([^<]*)</script>', text)
    assert [b"plotly.js v" in gzip.decompress(base64.b64decode(item)) for item in packed] == [True]
    sections = [attributes.get("id") for tag, attributes in page.tags if tag == "section"]
    assert sections == [
        "findings",
        "table",
        "learning",
        "stopping",
        "pareto",
        "parallel",
        "importance",
        "pareto-trials",
        "epochs",
        "leaderboard",
        "provenance",
    ]
    for words in ("mean predictor", "0f1e2d3c4b5a6978", "pdf-search sweep freesolv --name night"):
        assert words in page.words
    assert not any(words.startswith("Partial.") for words in page.words)


def test_the_time_of_first_epochs_is_told_apart(store: Store, tmp_path: Path) -> None:
    record = samples.sweep()
    samples.search(store, record)
    begun = [t for t in store.trials("night") if store.epochs("night", Phase.SEARCH, t.number)]
    slow = store.epochs("night", Phase.SEARCH, begun[0].number)[0]
    store.add_epoch("night", Phase.SEARCH, begun[0].number, replace(slow, seconds=40.0))
    write_report(store, "night", tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    seconds = format_seconds(40.0 + 1.5 * (len(begun) - 1))
    assert f"<dt>first epochs</dt><dd>{seconds}; kernels are compiled or loaded in them<" in text


def test_text_from_outside_is_escaped(store: Store, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    record = samples.sweep(command=evil, versions={"torch": evil})
    samples.search(store, record)
    samples.confirm(store, record, (15,), (1.1,), message=evil, origin=evil)
    write_report(store, "night", tmp_path)
    assert "<script>alert(1)" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_message_is_whole_on_the_page(store: Store, tmp_path: Path) -> None:
    record = samples.sweep()
    store.create_sweep(record)
    message = "no room in $PDF_SEARCH_CACHE for x^2\nTraceback"
    samples.save(store, record, 0, state=State.FAILED, message=message)
    write_report(store, "night", tmp_path)
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "no room in $PDF_SEARCH_CACHE for x^2" in page.words
    badge = next(attributes for _, attributes in page.tags if "state failed" in attributes.values())
    assert badge["title"] == message


def test_own_molecules_are_called_by_their_file(store: Store, tmp_path: Path) -> None:
    record = samples.sweep("csv", metric="rmse", protocol=Protocol.SPLIT)
    store.create_sweep(record)
    config = {"data": {"name": "csv", "path": "/data/my_sol.v2.csv"}, "training": {"epochs": 20}}
    save = {"epochs": samples.training(record, 1.1), "config": config}
    samples.save(store, record, 0, **save)
    write_report(store, "night", tmp_path)
    texts = {name: (tmp_path / name).read_text(encoding="utf-8") for name in FILES}
    assert texts["table.md"].startswith("# my\\_sol.v2: validation RMSE")
    assert texts["leaderboard.md"].splitlines()[2].startswith("my\\_sol.v2, RMSE")
    assert r"\caption{my\_sol.v2: validation RMSE" in texts["table.tex"]
    assert "<title>night: my_sol.v2</title>" in texts["report.html"]
    assert show_sweep(load_sweep(store, "night")).startswith("night: my_sol.v2, RMSE")


def test_before_the_first_trial_the_file_is_known_from_the_space(store: Store) -> None:
    definition = {"definition": {"data": {"name": "csv", "path": "/data/esol.csv"}}}
    changes = {"metric": "rmse", "protocol": Protocol.SPLIT, "space_definition": definition}
    store.create_sweep(samples.sweep("csv", **changes))
    assert load_sweep(store, "night").title == "esol"


def test_an_unfinished_sweep_says_so_in_every_text(store: Store, tmp_path: Path) -> None:
    record = samples.sweep(trials=30)
    samples.search(store, record)
    samples.save(store, record, 20, state=State.RUNNING)
    write_report(store, "night", tmp_path)
    for name in ("leaderboard.md", "table.md", "table.tex", "report.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "earch: 16 of 30 trials finished, 1 running" in text, name


@pytest.mark.parametrize("trials", [0, 1])
def test_a_sweep_that_has_hardly_begun_has_a_report(
    store: Store, tmp_path: Path, trials: int
) -> None:
    samples.search(store, samples.sweep(), trials=trials)
    assert len(write_report(store, "night", tmp_path)) == len(FILES)


def test_unknown_sweeps_write_nothing(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no sweep named"):
        write_report(store, "absent", tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_a_folder_that_cannot_be_made_is_an_error_of_the_user(store: Store, tmp_path: Path) -> None:
    whole(store)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be written.*name another folder: --to FOLDER"):
        write_report(store, "night", tmp_path / "file" / "report")


def test_show_trial_has_values_by_replicate_and_the_configuration(store: Store) -> None:
    whole(store)
    data = load_sweep(store, "night")
    text = show_trial(data, find_trial(data, 0, Phase.CONFIRM))
    assert re.search(r"^  origin +confirm of 15$", text, re.MULTILINE)
    assert re.search(r"test RMSE \(kcal/mol\) +1\.\d+ ± 0\.\d+ \(n = 4\)", text)
    assert len(re.findall(r"^10[0-3] +– +\d+ +\d\.\d+ +\d\.\d+$", text, re.MULTILINE)) == 4
    assert "name: freesolv" in text
    search = show_trial(data, find_trial(data, 2))
    with pytest.raises(StoreError, match="trial 15 of the search was confirmed as 0"):
        find_trial(data, 15, Phase.CONFIRM)
    assert re.search(r"^  state +PRUNED$", search, re.MULTILINE)
    with pytest.raises(StoreError, match="no trial 99 in phase search"):
        find_trial(data, 99)


def test_show_sweep_counts_states(store: Store) -> None:
    whole(store)
    text = show_sweep(load_sweep(store, "night"), limit=5)
    assert "search: 9 COMPLETE, 5 PRUNED, 1 DIVERGED, 1 FAILED" in text
    assert "... and 11 more" in text


def test_reports_import_neither_torch_nor_ray_nor_optuna() -> None:
    code = "import sys, reports; print([m for m in ('torch','ray','optuna') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert done.stdout.strip() == "[]"


def test_text_from_outside_is_escaped_in_every_file(store: Store, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    record = samples.sweep(
        space=evil,
        command=f"pdf-search sweep {evil}",
        commit=evil,
        options={"unit": evil, "data_notes": [evil], "targets": [evil, "b"]},
        versions={"pdf_search": evil, evil: "1"},
    )
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (1.1, 1.2))
    for number, changes in enumerate(
        (
            {"state": State.FAILED, "message": evil},
            {"state": State.DIVERGED, "message": evil, "device": evil},
            {"params": {evil: evil}, "config_hash": evil, "device": evil, "origin": evil},
        )
    ):
        samples.save(store, record, 90 + number, **changes)
    for path in write_report(store, "night", tmp_path):
        text = path.read_text("utf-8")
        if path.suffix != ".csv":  # read by programs, as it is
            assert not re.search(r"(?<!\\)<(script>alert|img src=x)", text), path.name
