"""The differentiable operations that other packages call; they are the same for every backend."""
