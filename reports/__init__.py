"""Tables and plots of sweeps and studies, from the results database alone: no torch, no Ray.

Pure functions build tables (grids of cells) and curves; thin renderers turn them into Markdown,
LaTeX, CSV and HTML.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
