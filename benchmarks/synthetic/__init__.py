"""Stand-ins for data sets that are too large to have here, of their size and file layout."""
