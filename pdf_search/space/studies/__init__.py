"""Studies: tables of fixed configurations, read and checked."""
