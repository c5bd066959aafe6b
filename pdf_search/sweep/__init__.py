"""Sweeps: the only package that imports ray and optuna, and only when one of these is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pdf_search.sweep.api import confirm, rerun, resume, run_sweep
    from pdf_search.sweep.cluster import one_ray
    from pdf_search.sweep.driver import Functions, SweepResult
    from pdf_search.sweep.folder import SweepFolder
    from pdf_search.sweep.methods import METHODS
    from pdf_search.sweep.options import SweepOptions
    from pdf_search.sweep.plan import Plan, plan_sweep
    from pdf_search.sweep.study_plan import StudyPlan, plan_study
    from pdf_search.sweep.study_run import begun_versions

_HOME = {
    "METHODS": "methods",
    "Functions": "driver",
    "Plan": "plan",
    "SweepFolder": "folder",
    "SweepOptions": "options",
    "SweepResult": "driver",
    "begun_versions": "study_run",
    "confirm": "api",
    "one_ray": "cluster",
    "StudyPlan": "study_plan",
    "plan_study": "study_plan",
    "plan_sweep": "plan",
    "rerun": "api",
    "resume": "api",
    "run_sweep": "api",
}

__all__ = [
    "METHODS",
    "Functions",
    "Plan",
    "StudyPlan",
    "SweepFolder",
    "SweepOptions",
    "SweepResult",
    "begun_versions",
    "confirm",
    "one_ray",
    "plan_study",
    "plan_sweep",
    "rerun",
    "resume",
    "run_sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(name)
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"pdf_search.sweep.{_HOME[name]}"), name)
