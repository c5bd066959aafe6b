"""Layers for PyG networks of one's own: bases as a transform, PDF's filter and convolution."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
