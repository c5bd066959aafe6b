"""The few operations that carry the fast engine: a readable reference, the CPU, the GPU."""
