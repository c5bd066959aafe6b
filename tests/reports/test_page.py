"""The page of a sweep in a real browser: Debian's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from pdf_search.results import Store
from reports import load_sweep, write_comparison, write_report
from tests.reports import samples
from tests.reports.browser import CUT, NAMES, OVERFLOWS, REACHABLE, SIZES, Opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>'
# Of a figure, what is drawn for a value.
DRAWN = ".point, .js-line, .hm image, .bars path, .legendpoints"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("a browser: apt-get install chromium")
    sync_playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright: pip install playwright"
    ).sync_playwright
    # As root, in a container, chromium has no sandbox.
    options = {"executable_path": program, "args": ["--no-sandbox"]}
    with sync_playwright() as driver, driver.chromium.launch(**options) as started:
        yield started


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("night"))


def written(folder: Path, dataset: str = "freesolv", **changes: Any) -> Path:
    """The page of a whole sweep, with grids of (eps, k), predictions and an importance map."""
    grid = [[-0.1, 1], [-0.3, 1], [-0.3, 3]]
    errors = [0.9, 0.5, 0.6]
    importance = {
        "grid": grid,
        "alike": [[0], [1, 2], [1, 2]],
        "graphs": 80,
        "replicates": [{"none": 1.0, "all": 0.2, "errors": errors, "lead_error": 0.01}] * 4,
    }
    with Store(str(folder / "results.db")) as store:
        record = samples.sweep(dataset, **changes)
        samples.search(store, record)
        for trial in store.trials("night"):
            basis = {"eps": [-0.1, -0.3], "k": 1 + trial.number % 3}
            store.save_trial(
                type(trial)(**(vars(trial) | {"config": trial.config | {"basis": basis}}))
            )
        samples.confirm(store, record, (15, 3), (1.1, 1.2), importance=importance)
        predictions(folder / "predictions.parquet", dataset)
        write_report(store, "night", folder, folder / "predictions.parquet")
    return folder / "report.html"


def predictions(file: Path, dataset: str) -> None:
    random = np.random.default_rng(0)
    classes = 2 if dataset == "mutag" else 1
    rows = [
        {"split": split, "index": graph, "task": task, "replicate": replicate, "trial": trial}
        for split in ("valid", "test")
        for graph in range(60)
        for task in range(classes)
        for replicate in range(4)
        for trial in (0, 1)
    ]
    table = pd.DataFrame(rows)
    table["target"] = table["index"] % 2 if classes == 2 else table["index"] / 10.0
    noise = random.normal(0, 0.1, len(table))
    right = 0.5 + 0.3 * np.where(table["task"] == table["target"], 1, -1)
    table["prediction"] = (right if classes == 2 else table["target"]) + noise
    table.to_parquet(file)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_drawn_readable_and_inside(
    browser: Browser, night: Path, size: str, scheme: str
) -> None:
    with Opened(browser, night, size, color_scheme=scheme) as opened:
        page = opened.page
        assert opened.errors == []
        assert page.get_attribute("html", "data-drawn") == scheme
        figures = page.query_selector_all(".figure")
        names = [figure.get_attribute("id") for figure in figures]
        assert names == [
            "figure-predicted",
            "figure-learning",
            "figure-stopping",
            "figure-pareto",
            "figure-parallel",
            "figure-importance-map",
            "figure-searched-bases",
            "figure-importance",
        ]
        assert [n for n, f in zip(names, figures, strict=True) if not f.query_selector(DRAWN)] == []
        assert page.evaluate(OVERFLOWS) == []
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
        assert opened.faint() == []


def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    browser: Browser, night: Path
) -> None:
    with Opened(browser, night) as opened:
        found = opened.tab_through()
        count = opened.page.evaluate(f"document.querySelectorAll('{REACHABLE}').length")
        assert set(found) == set(map(str, range(count)))
        assert all(found.values())


def column(opened: Opened, name: str) -> list[str]:
    heads = opened.page.locator("#leaderboard th").all_text_contents()
    rows = opened.page.locator("#leaderboard tbody tr:visible")
    return [row.locator("td").all_text_contents()[heads.index(name)] for row in rows.all()]


def test_the_leaderboard_is_sorted_by_numbers_and_filtered(browser: Browser, night: Path) -> None:
    with Opened(browser, night) as opened:
        page = opened.page
        page.get_by_title("sort by parameters").focus()
        page.keyboard.press("Enter")
        counts = column(opened, "parameters")
        known = [int(text.replace(",", "")) for text in counts if text != "–"]
        assert known == sorted(known)
        assert counts[-1] == "–"  # the baseline has none
        page.keyboard.press("Enter")
        counts = column(opened, "parameters")
        assert counts[0] == f"{max(known):,}"
        assert counts[-1] == "–"
        page.get_by_label("Filter").fill("pruned epochs>=5 hidden<=96")
        states, epochs = column(opened, "state"), column(opened, "epochs")
        assert set(states) == {"PRUNED"}
        assert all(int(text) >= 5 for text in epochs)
        assert {int(text) for text in column(opened, "hidden")} <= {32, 64, 96}
        shown = page.locator("#leaderboard output").text_content()
        assert shown == f"{len(states)} of 19 rows"
        page.get_by_label("Filter").fill("no such words")
        assert column(opened, "state") == []
        page.get_by_label("Filter").fill("params>5")
        shown = page.locator("#leaderboard output").text_content() or ""
        assert shown.endswith("; no column params")
        page.get_by_label("Filter").fill('"confirm of 15"')
        assert column(opened, "phase") == ["confirm"]
        assert opened.errors == []


def test_the_button_exchanges_light_and_dark(browser: Browser, night: Path) -> None:
    with Opened(browser, night, color_scheme="light") as opened:
        page = opened.page
        page.get_by_role("button", name="Dark", exact=True).click()
        page.wait_for_selector("html[data-drawn=dark]", state="attached")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 29)"
        assert opened.faint() == []
        page.get_by_role("button", name="Light", exact=True).click()
        page.wait_for_selector("html[data-drawn=light]", state="attached")


def test_paper_is_light_and_has_no_controls(browser: Browser, night: Path) -> None:
    with Opened(browser, night, color_scheme="dark") as opened:
        page = opened.page
        page.set_viewport_size({"width": 688, "height": 900})  # A4 without its margins
        page.emulate_media(media="print", color_scheme="dark")
        page.wait_for_selector("html[data-drawn=light]", state="attached")
        assert not page.locator("#theme, .filter, nav").locator("visible=true").count()
        assert page.evaluate(OVERFLOWS) == []
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 688
        assert opened.faint() == []


def test_no_button_sends_anything_away(browser: Browser, night: Path) -> None:
    with Opened(browser, night) as opened:
        buttons = opened.page.locator("#figure-pareto .modebar-btn").all()
        titles = [button.get_attribute("data-title") for button in buttons]
        assert titles == [
            "Download plot as a PNG",
            "Zoom",
            "Pan",
            "Zoom in",
            "Zoom out",
            "Autoscale",
            "Reset axes",
        ]


def test_a_point_says_what_it_is(browser: Browser, night: Path) -> None:
    with Opened(browser, night) as opened:
        for figure, words in (
            ("predicted", ("graph ", "residual")),
            ("pareto", ("trial ", " parameters")),
            ("parallel", ("hidden", "validation")),
        ):
            place = opened.page.locator(f"#figure-{figure}")
            place.scroll_into_view_if_needed()
            place.locator(".point").first.hover(force=True)
            text = place.locator(".hovertext").first.text_content()
            assert all(word in (text or "") for word in words), (figure, text)


@pytest.mark.parametrize("space", ["freesolv", "mutag"])
def test_text_from_outside_stays_text(browser: Browser, tmp_path: Path, space: str) -> None:
    options = {"unit": EVIL, "targets": [EVIL], "classes": [EVIL, "b"]}
    words = {"command": EVIL, "method": EVIL, "versions": {EVIL: EVIL}, "options": options}
    file = written(tmp_path, space, **words)
    with Opened(browser, file) as opened:
        assert opened.page.evaluate("window.hacked") is None
        assert opened.errors == []
        assert EVIL in (opened.page.locator("#provenance").text_content() or "")


def test_classes_have_a_confusion_matrix(browser: Browser, tmp_path: Path) -> None:
    with Opened(browser, written(tmp_path, "mutag")) as opened:
        assert opened.errors == []
        assert opened.page.locator("#figure-predicted .hm image").count() == 1
        assert "60 of 60 graphs have their true class" in (
            opened.page.locator("#predicted p.text").text_content() or ""
        )


@pytest.mark.parametrize("size", SIZES)
def test_sweeps_side_by_side_are_drawn_readable_and_inside(
    browser: Browser, store: Store, tmp_path: Path, size: str
) -> None:
    names = ("night", "a-sweep-with-quite-a-long-name", "accuracies")
    for name in names:
        record = samples.sweep("mutag" if name == "accuracies" else "freesolv", name=name)
        samples.search(store, record)
        samples.confirm(store, record, (15, 3), (1.1, 1.2))
    write_comparison([(name, load_sweep(store, name)) for name in names], tmp_path)
    with Opened(browser, tmp_path / "compare.html", size, color_scheme="dark") as opened:
        page = opened.page
        assert opened.errors == []
        figures = page.query_selector_all(".figure")
        assert [bool(figure.query_selector(DRAWN)) for figure in figures] == [True] * 3
        assert page.evaluate(OVERFLOWS) == []
        assert page.evaluate(CUT) == []
        assert opened.faint() == []
        text = page.locator("#progress p.text").text_content() or ""
        assert text.endswith("Of another metric, and not shown: accuracies.")


def test_the_checks_see_what_is_wrong(browser: Browser, night: Path) -> None:
    with Opened(browser, night, "phone", color_scheme="light") as opened:
        page = opened.page
        page.add_style_tag(content=":root { --soft: #8b97a5; } .notes { width: 500px; }")
        page.add_style_tag(content="#figure-stopping { height: 99px; }")
        assert {"PRUNED", "Protocol split"} & {text[:14] for _, text in opened.faint()}
        assert any('class="notes"' in text for text in page.evaluate(OVERFLOWS))
        assert any(text.startswith("figure-stopping") for text in page.evaluate(CUT))
