"""Space, setting and study files: found, read with line numbers, their problems told."""
