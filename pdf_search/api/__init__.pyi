from .export import export_model as export_model
from .export import train_score as train_score
from .spaces import load_space as load_space
from .sweeps import Settings as Settings
from .sweeps import Sweep as Sweep
from .sweeps import open_sweep as open_sweep
from .sweeps import run_sweep as run_sweep
from .trials import Trial as Trial
