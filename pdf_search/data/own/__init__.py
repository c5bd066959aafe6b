"""From a file of one's own to the settings of a data set: its format, its columns, its task."""
