"""Tables of a sweep, of the data sets and of the paper's overviews."""
