"""Which (eps, k) a trained network's predictions need: the data behind the importance map."""
