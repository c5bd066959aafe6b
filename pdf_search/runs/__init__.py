"""Folders of sweeps and of single runs: found by name, told apart, locked."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
