"""Data sets by name, own molecules, splits and folds, and the cache. The import loads no torch."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
