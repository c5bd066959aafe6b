"""Who trains it: the Ray session and its callbacks. The only room that imports ray."""
