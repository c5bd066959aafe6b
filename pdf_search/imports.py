"""Context managers for importing other libraries without their warnings or failures."""

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
    """Suppress all warnings within the block.

    For imports of libraries whose deprecation warnings the user can do nothing about.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def known_backend() -> Iterator[None]:
    """Set MPLBACKEND to ``agg`` within the block if it names a package that is not installed.

    Importing matplotlib, directly or through another library, would fail otherwise. A notebook
    passes its MPLBACKEND on to every process that it starts, also to those in another environment.
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
    """Ignore all warnings except those attributed to our own packages.

    Changes the filters of the whole process, so only a program may call it.
    """
    warnings.simplefilter("ignore")
    warnings.filterwarnings("default", module=OURS)
