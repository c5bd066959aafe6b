"""Imports of other libraries that keep their announcements to themselves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

OURS = r"(pdf_search|reports|search_spaces)(\.|$)"  # modules, as warnings name them


@contextmanager
def quietly() -> Iterator[None]:
    """Nothing that is imported here warns: whose call is out of date is not our user's matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def show_only_our_warnings() -> None:
    """For a program: the warnings of libraries, imported or at work, stay off its screen."""
    warnings.simplefilter("ignore")
    warnings.filterwarnings("default", module=OURS)
