"""The operations that carry the fast engine, in plain torch, compiled for the CPU, and in Triton.

``operators`` holds what other rooms call, with its gradient; ``dispatch`` chooses the backend.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
