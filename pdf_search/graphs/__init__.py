"""Graph sets, their basis matrices, and the banks of basis rows and node pairs made from them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
