"""Search spaces and studies: domains, conditions, limits, and the files that hold them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
