"""Uses of a trained model: loading it, predicting with it, and explaining what it has learned."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
