"""The verbs on recorded sweeps and studies: they read, continue, or train some of them again."""
