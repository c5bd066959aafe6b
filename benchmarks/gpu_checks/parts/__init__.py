"""The parts of the check: ``rows(bench)`` of each module yields a row for each thing it checks."""
