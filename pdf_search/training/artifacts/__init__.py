"""What a trial leaves in its folder: checkpoint, facts, predictions."""
