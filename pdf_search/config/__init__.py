"""Frozen, validated configuration trees. Unknown keys are refused; equal trees hash equal.

``TrialConfig`` is everything a trial depends on. Nothing here imports torch: a search space can
be checked on a machine without it.
"""

from pdf_search.config.basis import BasisConfig, EpsRange, Hops, PowerRange
from pdf_search.config.data import (
    FEATURISER,
    SPLIT,
    VERSIONS,
    CategoricalInput,
    DataConfig,
    InputShape,
    LinearInput,
    NoInput,
    newest,
)
from pdf_search.config.frozen import Frozen, models_in
from pdf_search.config.model import Activation, ModelConfig
from pdf_search.config.training import Constant, Cosine, Milestones, Schedule, Step, TrainingConfig
from pdf_search.config.trial import TrialConfig, parse_trial
from pdf_search.config.wrong import describe, wrong_together

__all__ = [
    "FEATURISER",
    "SPLIT",
    "VERSIONS",
    "Activation",
    "BasisConfig",
    "CategoricalInput",
    "Constant",
    "Cosine",
    "DataConfig",
    "EpsRange",
    "Frozen",
    "Hops",
    "InputShape",
    "LinearInput",
    "Milestones",
    "ModelConfig",
    "NoInput",
    "PowerRange",
    "Schedule",
    "Step",
    "TrainingConfig",
    "TrialConfig",
    "describe",
    "models_in",
    "newest",
    "parse_trial",
    "wrong_together",
]
