"""Tables and plots of sweeps and studies, from the results database alone: no torch, no ray.

Pure tables (grids of cells) and curves first, then thin renderers (Markdown, LaTeX, CSV, HTML).
"""

from reports.complexity import complexity_grid
from reports.grid import Grid
from reports.grid_files import write_grids
from reports.leaderboard import LeaderboardRow, leaderboard_grid, leaderboard_rows
from reports.result_table import result_grid
from reports.show import find_trial, show_sweep, show_trial
from reports.statistics import statistics_grid
from reports.studies import Study, has_study, load_study, memories, papers_grid, write_study
from reports.sweep_data import Entry, SweepData, load_sweep
from reports.tables import render_markdown
from reports.taxonomy import taxonomy_table
from reports.write import write_report

__all__ = [
    "Entry",
    "Grid",
    "LeaderboardRow",
    "Study",
    "SweepData",
    "complexity_grid",
    "find_trial",
    "has_study",
    "leaderboard_grid",
    "leaderboard_rows",
    "load_study",
    "load_sweep",
    "memories",
    "papers_grid",
    "render_markdown",
    "result_grid",
    "show_sweep",
    "show_trial",
    "statistics_grid",
    "taxonomy_table",
    "write_grids",
    "write_report",
    "write_study",
]
