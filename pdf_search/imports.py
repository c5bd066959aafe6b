"""Imports of other libraries that keep their announcements to themselves."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

MODULE = "module://"  # before the name of a matplotlib backend of another package

OURS = r"(pdf_search|reports|search_spaces)(\.|$)"  # modules, as warnings name them


@contextmanager
def quietly() -> Iterator[None]:
    """Nothing that is imported here warns: whose call is out of date is not our user's matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def known_backend() -> Iterator[None]:
    """For imports of matplotlib, also by other libraries, which a missing backend would end.

    MPLBACKEND comes from a notebook to each process that it starts, in whatever environment.
    """
    name = os.environ.get("MPLBACKEND", "")
    package = name.removeprefix(MODULE).partition(".")[0]
    if not name.startswith(MODULE) or find_spec(package) is not None:
        yield
        return
    os.environ["MPLBACKEND"] = "agg"
    try:
        yield
    finally:
        os.environ["MPLBACKEND"] = name


def show_only_our_warnings() -> None:
    """For a program: the warnings of libraries, imported or at work, stay off its screen."""
    warnings.simplefilter("ignore")
    warnings.filterwarnings("default", module=OURS)
