"""Frozen, validated configuration models. Unknown keys are refused; equal trees hash equal.

``TrialConfig`` holds everything that a trial depends on. Nothing here imports torch, so that a
search space can be checked on a machine without it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
