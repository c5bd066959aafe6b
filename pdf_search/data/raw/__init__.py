"""Raw files of data sets: found, downloaded, read as they stand."""
