"""Which trials go on, and from where: early stopping and populations. No Ray here."""
