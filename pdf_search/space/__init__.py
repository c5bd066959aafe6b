"""The language of search spaces: domains, conditions, limits, and the files that hold them."""

from pdf_search.space.domains import (
    Choice,
    Condition,
    Domain,
    FloatRange,
    IntRange,
    Label,
    Parameter,
)
from pdf_search.space.first import origin_of_listed, words_of_listed
from pdf_search.space.load import load_space, paper_names, paper_trial, space_names, space_text
from pdf_search.space.schema import space_schema
from pdf_search.space.space import Defaults, Space

__all__ = [
    "Choice",
    "Condition",
    "Defaults",
    "Domain",
    "FloatRange",
    "IntRange",
    "Label",
    "Parameter",
    "Space",
    "load_space",
    "origin_of_listed",
    "paper_names",
    "paper_trial",
    "space_names",
    "space_schema",
    "space_text",
    "words_of_listed",
]
