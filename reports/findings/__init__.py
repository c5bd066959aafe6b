"""What a search found, in sentences made of its records alone, and what it could not tell."""
