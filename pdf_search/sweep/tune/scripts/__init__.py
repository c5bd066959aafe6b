"""For Ray Tune scripts of one's own: a space's parameters as Tune's, its trial as a trainable."""
