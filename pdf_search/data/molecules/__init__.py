"""Molecules: SMILES to graphs, and what a table of them contains."""
