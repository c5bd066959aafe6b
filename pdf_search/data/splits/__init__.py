"""Train, validation and test: who goes where, and what must be said of it."""
