"""Tables and figures of a study: our runs beside the published numbers of the paper's tables."""

from reports.studies.matrix import papers_grid, parts_left_out
from reports.studies.study_data import Study, has_study, load_study
from reports.studies.study_tables import memories
from reports.studies.write import write_study

__all__ = [
    "Study",
    "has_study",
    "load_study",
    "memories",
    "papers_grid",
    "parts_left_out",
    "write_study",
]
