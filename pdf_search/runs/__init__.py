"""The folders of sweeps and of single runs: find one by its name, see what it holds, lock it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
