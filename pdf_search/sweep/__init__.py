"""Sweeps: the only package that imports ray and optuna, and only when one of these is used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
