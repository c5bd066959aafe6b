"""Reads molecules from SMILES and turns them into graphs, with notes on duplicates and isotopes."""
