"""Figures of studies: pure numbers, images, and the page."""

import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from pdf_search.records import Phase, State
from pdf_search.results import Store
from reports import load_study, write_study
from reports.pages.curves import Axis, Curve, Panel
from reports.studies.curves import study_figures
from reports.studies.plots import images
from tests.patience import PATIENCE
from tests.reports import study_samples as studies
from tests.reports.test_write import Page


def test_shd_and_idp_stand_side_by_side_for_each_part_of_the_data(store: Store) -> None:
    record = studies.ablation(store)
    (figure,) = study_figures(load_study(store, "paper/ablation"))
    assert [[panel.title for panel in row] for row in figure.rows] == [
        [f"shd: {part}", f"idp: {part}"] for part in ("training loss", "validation MAE", "test MAE")
    ]
    curve = figure.rows[2][1].curves[4]
    assert curve.label == "((eps, k), 2L)"
    report = store.epochs(record.name, Phase.CONFIRM, 9)[6]
    values = [replicate.test or 0.0 for replicate in report.replicates]
    assert curve.mean[6] == pytest.approx(fmean(values))
    assert curve.std[6] == pytest.approx(pstdev(values))
    assert {len(panel.curves) for row in figure.rows for panel in row} == {5}


def test_a_partial_study_says_so_in_its_figure_and_waiting_rows_have_no_curve(store: Store) -> None:
    studies.ablation(store, 6)
    (figure,) = study_figures(load_study(store, "paper/ablation"))
    assert figure.title.endswith("(partial)")
    assert [len(panel.curves) for panel in figure.rows[0]] == [5, 1]


def test_before_the_first_epoch_there_is_no_figure(store: Store) -> None:
    studies.ablation(store, 0)
    assert study_figures(load_study(store, "paper/ablation")) == []


def test_folds_mark_the_chosen_epoch_and_the_reported_values(store: Store) -> None:
    studies.folds(store)
    (figure,) = study_figures(load_study(store, "paper/tu"))
    curve, inner = figure.rows[0]
    assert [panel.title for panel in figure.rows[1]] == [
        "PTC_MR, PDF, gin-curve",
        "PTC_MR, PDF, inner",
    ]
    assert len(curve.thin) == 10
    mean = list(curve.curves[0].mean)
    assert curve.rule == 1 + mean.index(max(mean, key=lambda v: v or 0.0))
    assert {epoch for epoch, _ in curve.chosen} == {curve.rule}
    for (epoch, value), fold in zip(inner.chosen, inner.thin, strict=True):
        assert value == fold.mean[fold.epochs.index(epoch)]


def test_a_study_writes_images_tables_and_a_page(store: Store, tmp_path: Path) -> None:
    studies.folds(store)
    files = {path.name: path.read_bytes() for path in write_study(store, "paper/tu", tmp_path)}
    assert set(files) == {
        *(f"table.{kind}" for kind in ("csv", "md", "tex")),
        "report.html",
        "folds.png",
        "folds.pdf",
    }
    assert files["folds.png"].startswith(b"\x89PNG")
    assert files["folds.pdf"].startswith(b"%PDF")
    again = {path.name: path.read_bytes() for path in write_study(store, "paper/tu", tmp_path)}
    assert again == files


def test_the_page_is_self_contained_and_marks_what_is_partial(store: Store, tmp_path: Path) -> None:
    record = studies.ablation(store, 3)
    studies.train(store, record, 3, 0.1, state=State.RUNNING)
    write_study(store, "paper/ablation", tmp_path)
    text = (tmp_path / "report.html").read_text("utf-8")
    page = Page(text)
    loaded = [at for tag, at in page.tags if tag in ("script", "link", "img")]
    assert not any({"src", "href"} & set(attributes) for attributes in loaded)
    assert [at.get("id") for tag, at in page.tags if tag == "section"] == [
        "table-1",
        "curves",
        "provenance",
    ]
    assert len(re.findall(r'data-figure="figure-curves"', text)) == 1
    assert len(re.findall(r'id="plotly"', text)) == 1
    assert "Partial. 3 of 10 rows are complete." in page.words
    assert "pdf-search study paper/ablation" in page.words


def test_text_from_outside_is_escaped(store: Store, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script> $x_"
    rows = [studies.row(evil, "zinc", "ablation")]
    (record,) = studies.begin(store, "evil", "results", rows)
    studies.train(store, record, 0, 0.1)
    write_study(store, "evil", tmp_path)
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "<script>alert(1)" not in text


def test_an_image_of_two_epochs_shows_points(store: Store) -> None:
    studies.ablation(store, 1, epochs=2)
    (figure,) = study_figures(load_study(store, "paper/ablation"))
    assert set(images(figure)) == {"curves.png", "curves.pdf"}


def test_studies_import_neither_torch_nor_ray_nor_optuna() -> None:
    unwanted = ("torch", "ray", "optuna", "matplotlib.pyplot")
    code = f"import sys, reports.studies; print([m for m in {unwanted} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert done.stdout.strip() == "[]"


def test_values_over_decades_have_a_logarithmic_axis_that_a_row_shares() -> None:
    def panel(*values: float | None) -> Panel:
        nothing = (None,) * len(values)
        curve = Curve("a", "COMPLETE", "test", tuple(range(len(values))), values, nothing)
        return Panel("t", "l", (curve,))

    wide = Axis.of([panel(2.0, None), panel(0.1)])
    assert wide is not None
    assert wide.log
    assert wide.low < 0.1
    assert wide.high > 2.0
    narrow = Axis.of([panel(55.0, 90.0)])
    assert narrow is not None
    assert not narrow.log
    assert Axis.of([panel(None)]) is None
