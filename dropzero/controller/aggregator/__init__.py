"""`dropzero aggregator`: the switch program on a host, for jobs without slots on the switch."""
