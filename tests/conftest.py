"""Shared fixtures: where data sets and golden vectors lie; and one line on what did not run."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

# Before torch starts: threads that spin while they wait starve tests that run beside them.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Workers of Ray have nearly the lowest priority: beside other tests those of scripts hardly ran.
os.environ.setdefault("RAY_worker_niceness", "0")

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared"


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start Ray run in two of the processes of pytest-xdist, each one after another."""
    for item in items:
        if item.get_closest_marker("ray"):
            group = "ray-sweep" if item.path.is_relative_to(HERE / "sweep") else "ray"
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--data-root",
        type=Path,
        help="whole data sets: a folder with TUDataset, ZINC and ogb (default: ../shared/data)",
    )


def shared_folder() -> Path:
    """Where the real files lie that are too large, or not ours, to travel with the tests."""
    return Path(os.environ.get("PDF_SEARCH_TEST_DATA", SHARED))


@pytest.fixture(scope="session")
def excerpts() -> Path:
    """The first graphs of the real sets, in their raw layout."""
    return HERE / "excerpts"


@pytest.fixture(scope="session")
def data_root(request: pytest.FixtureRequest, excerpts: Path) -> Path:
    """Whole data sets where they are at hand, else excerpts."""
    given: Path | None = request.config.getoption("--data-root")
    if given is not None and not given.is_dir():
        raise pytest.UsageError(f"--data-root {given} is not a folder")
    folder = given or shared_folder() / "data"
    return folder if folder.is_dir() else excerpts


@pytest.fixture(scope="session")
def whole_data(data_root: Path, excerpts: Path) -> Path:
    """Whole data sets, for tests of the numbers that only a whole set has."""
    if data_root == excerpts:
        pytest.skip("whole data sets: pytest --data-root FOLDER (TUDataset, ZINC, ogb)")
    return data_root


@pytest.fixture(scope="session")
def golden_root() -> Path:
    return HERE / "golden"


@pytest.fixture(scope="session")
def paper() -> str:
    """The tables of the PDF paper, in LaTeX."""
    return (HERE / "paper" / "tables.tex").read_text(encoding="utf-8")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for all that was skipped: how many, and what each needs."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    if reasons:
        each = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"{reasons.total()} tests did not run; they need: {each}")
