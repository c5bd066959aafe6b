__version__: str

from . import errors as errors
from . import nn as nn
from . import tune as tune
from .api import Sweep as Sweep
from .api import Trial as Trial
from .api import load_space as load_space
from .api import open_sweep as open_sweep
from .api import run_sweep as run_sweep
from .data import Dataset as Dataset
from .inference import Model as Model
from .models import load as load
