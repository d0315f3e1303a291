"""`dropzero aggregator`: the switch program on a host, for jobs that find no slots on the switch."""
