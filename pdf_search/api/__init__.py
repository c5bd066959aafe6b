"""The Python interface: spaces, sweeps, their trials, and exported models, as in a notebook."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
