"""Use of a trained model: predictions, and what it has learned as data and plots."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
