import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pdf_search.records import State
from pdf_search.results import Store
from reports import complexity_grid, load_study, load_sweep, result_grid, statistics_grid
from reports.grid.cell import Cell
from reports.grid.grid_texts import grid_latex
from reports.grid.latex import SET, escape_latex
from reports.studies.study_tables import study_grids
from reports.tables.taxonomy import taxonomy_table
from tests.reports import samples
from tests.reports import study_samples as studies

DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs,graphicx}
\begin{document}
%s
\end{document}
"""
ESCAPED = (
    r"50\% \& \$x\_1\$ \#2 \{a\} \textbackslash{}b \textasciitilde{} \textasciicircum{} "
    rf"\textless{{}}\textgreater{{}} '{escape_latex('ü')}' -- \textsuperscript{{2}} new \%"
)
AWKWARD = "50% & $x_1$ #2 {a} \\b ~ ^ <> 'ü' – ²\nnew %"


def latex(store: Store) -> str:
    record = samples.sweep("zinc", name="night_1")
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (0.02, 0.03))
    table = result_grid(load_sweep(store, "night_1"))
    first = table.lines[0].cells[0]
    assert isinstance(first, Cell)
    cells = (replace(first, source=AWKWARD, note=AWKWARD), *table.lines[0].cells[1:])
    lines = (replace(table.lines[0], name=AWKWARD, cells=cells), *table.lines[1:])
    return grid_latex(replace(table, lines=lines, title=AWKWARD, notices=(AWKWARD,)))


def test_best_is_bold_second_underlined_and_rules_are_booktabs(store: Store) -> None:
    text = latex(store)
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in text
    assert r"\textbf{0.066} $\pm$ \textbf{0.002}" in text
    assert r"\underline{0.070 $\pm$ 0.004}" in text
    assert r"\label{tab:night-1}" in text


def test_every_sign_that_latex_reads_is_escaped() -> None:
    assert escape_latex(AWKWARD) == ESCAPED
    assert escape_latex("a--b") == "a-{}-b"


def test_text_from_outside_is_escaped_wherever_it_stands(store: Store) -> None:
    text = latex(store)
    assert "50% &" not in text
    places = [line for line in text.splitlines() if ESCAPED in line]
    signs = (r"\caption", "% PARTIAL", r"\\", r"  \textsuperscript{a}")
    caption, notice, row, note = (next(line for line in places if sign in line) for sign in signs)
    assert caption == rf"  \caption{{{ESCAPED}. Partial: {ESCAPED}.}}"
    assert notice == f"% PARTIAL: {ESCAPED}"
    assert row.startswith(f"    {ESCAPED} & ")
    assert f"% {ESCAPED}" in row
    assert note == rf"  \textsuperscript{{a}} {ESCAPED}."


def test_the_source_of_a_row_is_a_comment(store: Store) -> None:
    lines = latex(store).splitlines()
    assert not any("source" in line for line in lines if " & " in line)
    assert any(line.endswith(r"\\ % PDF paper, Table 3") for line in lines)


def test_names_of_rows_in_a_study_are_escaped(store: Store) -> None:
    name = AWKWARD.replace("\n", " ")
    (record,) = studies.begin(store, "paper/zinc", "results", [studies.row(name, "zinc")])
    studies.train(store, record, 0, 0.064)
    texts = [grid_latex(grid) for grid in study_grids(load_study(store, "paper/zinc"))]
    assert any(f"{ESCAPED} & " in text for text in texts)
    assert not any("50% &" in text for text in texts)


def latex_compiler() -> str:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex is not installed (Debian: texlive-latex-recommended)")
    found = subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("LaTeX has no booktabs (Debian: texlive-latex-recommended)")
    return compiler


def every_table(store: Store) -> list[str]:
    """A sweep's, and all of the studies and of the verb ``tables``."""
    studies.ablation(store, 3)
    studies.folds(store, state=State.RUNNING)
    studies.timing(store)
    rows = [studies.row("PDF", "zinc"), studies.row(AWKWARD.replace("\n", " "), "zinc")]
    (record,) = studies.begin(store, "paper/zinc", "results", rows)
    studies.train(store, record, 0, 0.064)
    names = ("paper/ablation", "paper/tu", "paper/timing", "paper/zinc")
    grids = [grid for name in names for grid in study_grids(load_study(store, name))]
    alone = [statistics_grid([]), complexity_grid(), taxonomy_table()]
    return [latex(store), *map(grid_latex, [*grids, *alone])]


def test_all_tables_compile_in_one_minimal_document(store: Store, tmp_path: Path) -> None:
    compiler = latex_compiler()
    tables = every_table(store)
    text = "\n\\clearpage\n".join(tables)
    command = [compiler, "-interaction=nonstopmode", "-halt-on-error", "doc.tex"]
    for document in (DOCUMENT, DOCUMENT.replace(",graphicx", "")):  # booktabs alone is enough
        (tmp_path / "doc.tex").write_text(document % text, encoding="utf-8")
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        assert (tmp_path / "doc.pdf").is_file()
        assert "multiply defined" not in done.stdout
        assert f"({len(tables)} pages" in done.stdout


def test_grids_have_booktabs_rules_marks_and_footnotes(store: Store) -> None:
    studies.ablation(store, 3)
    (grid,) = study_grids(load_study(store, "paper/ablation"))
    text = grid_latex(grid)
    for part in (r"\toprule", r"\midrule", r"\bottomrule", r"\textbf{", r"\underline{"):
        assert part in text
    assert r"\label{tab:paper-ablation}" in text
    assert "% PARTIAL: 3 of 10 rows are complete" in text
    assert r"\textsuperscript{a} not started" in text
    assert r"\caption{Study paper/ablation (partial). Partial: 3 of 10" in text


LETTERS = (
    "".join(map(chr, range(0xA0, 0x250))) + "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω"
)
OTHERS = "".join(sorted(SET)) + "Ждå中語🙂a\N{COMBINING DIAERESIS}\u200b\x07\N{MINUS SIGN}≤≥≠≈∞′±↑↓"


def test_letters_stay_and_every_sign_compiles(tmp_path: Path) -> None:
    for name in ("Löslichkeit_µM 50%", "Ångström", "Łódź", "où ça", "İstanbul"):
        assert escape_latex(name) == name.replace("_", r"\_").replace("%", r"\%")
    assert escape_latex("o\N{COMBINING DIAERESIS}") == "ö"
    assert "ą" in escape_latex("ą")
    assert escape_latex("α–中") == r"$\alpha$--U+4E2D"
    compiler = latex_compiler()
    lines = "\n\n".join(escape_latex(sign) for sign in LETTERS + OTHERS)
    (tmp_path / "doc.tex").write_text(DOCUMENT % lines, encoding="utf-8")
    command = [compiler, "-interaction=nonstopmode", "-halt-on-error", "doc.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-1500:].decode("latin-1")
