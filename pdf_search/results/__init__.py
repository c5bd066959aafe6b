"""The results database, and what is computed from it: summaries, ranking, nested selection.

Only the driver of a sweep writes to it. Nothing here imports torch.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
