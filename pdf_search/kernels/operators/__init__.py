"""The operations that other rooms call, with their gradients; the same for every backend."""
