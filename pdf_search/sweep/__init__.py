"""Plans, runs, resumes and confirms sweeps.

This is the only package that imports Ray and Optuna, each when a name that needs it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
