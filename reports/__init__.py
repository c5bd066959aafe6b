"""Tables and plots of sweeps and studies, from the results database alone: no torch, no ray.

Pure tables (grids of cells) and curves first, then thin renderers (Markdown, LaTeX, CSV, HTML).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
