"""What happened to each trial: recorded, recovered after a stop, shown as progress."""
