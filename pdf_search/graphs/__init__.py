"""Pure mathematics of graphs: matrices, basis rows, pair lists."""
