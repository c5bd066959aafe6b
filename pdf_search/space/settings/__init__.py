"""Settings laid over others: ``--set``, overlays and differences."""
