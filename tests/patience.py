"""How long a test waits for a process before it counts as hanging."""

PATIENCE = 300  # seconds; on a machine with much else to do, all takes several times as long
