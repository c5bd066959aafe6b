"""Real searches and the training of what they found on seeds that no search saw."""
