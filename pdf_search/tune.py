"""For Ray Tune scripts of one's own: a space's trainable and parameters.

>>> tuner = ray.tune.Tuner(trainable(space), param_space=parameter_space(space), ...)
"""

from pdf_search.sweep import parameter_space, point, trainable

__all__ = ["parameter_space", "point", "trainable"]
