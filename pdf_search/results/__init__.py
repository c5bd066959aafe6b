"""The results database: written by the driver of a sweep alone, read by everyone. No torch."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
