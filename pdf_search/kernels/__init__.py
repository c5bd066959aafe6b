"""The operations of the fast engine, each in plain torch, compiled for the CPU, and in Triton.

``operators`` holds the differentiable operations that other packages call. ``dispatch`` chooses
the backend that computes them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
