"""The language of search spaces: domains, conditions, limits, and the files that hold them."""

from pdf_search.space.data_set import data_config
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
from pdf_search.space.overrides import settings_named
from pdf_search.space.schema import space_schema
from pdf_search.space.space import Defaults, Space
from pdf_search.space.study import Study, StudyPart, StudyRow
from pdf_search.space.study_load import load_study, recorded_study, study_names
from pdf_search.space.taxonomy import TaxonomySetting, taxonomy_names, taxonomy_setting

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
    "Study",
    "StudyPart",
    "StudyRow",
    "TaxonomySetting",
    "data_config",
    "load_space",
    "load_study",
    "origin_of_listed",
    "paper_names",
    "paper_trial",
    "recorded_study",
    "settings_named",
    "space_names",
    "space_schema",
    "space_text",
    "study_names",
    "taxonomy_names",
    "taxonomy_setting",
    "words_of_listed",
]
