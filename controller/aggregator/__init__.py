"""`dropzero aggregator`: the switch program on a host, for jobs that get no slots on the switch."""
