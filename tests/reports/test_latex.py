import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pdf_search.results import Store
from reports import load_sweep, result_table
from reports.table_texts import table_latex
from tests.reports import samples

DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""
AWKWARD = "50% & $x_1$ #2 {a} \\b ~ ^ <> 'ü' – ²\nnew %"


def latex(store: Store) -> str:
    record = samples.sweep("zinc", name="night_1")
    samples.search(store, record)
    samples.confirm(store, record, (15, 3), (0.02, 0.03))
    table = result_table(load_sweep(store, "night_1"))
    rows = (replace(table.rows[0], method=AWKWARD, source=AWKWARD, note=AWKWARD), *table.rows[1:])
    return table_latex(replace(table, rows=rows, dataset=AWKWARD, notices=(AWKWARD,)))


def test_best_is_bold_second_underlined_and_rules_are_booktabs(store: Store) -> None:
    text = latex(store)
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in text
    assert r"\textbf{0.066} $\pm$ \textbf{0.002}" in text
    assert r"\underline{0.070 $\pm$ 0.004}" in text
    assert r"\label{tab:night-1}" in text


def test_it_compiles_in_a_minimal_document(store: Store, tmp_path: Path) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex is not installed")
    (tmp_path / "doc.tex").write_text(DOCUMENT % latex(store), encoding="utf-8")
    command = [compiler, "-interaction=nonstopmode", "-halt-on-error", "doc.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "doc.pdf").is_file()
