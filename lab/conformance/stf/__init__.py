"""p4c's STF packet tests: their language, their targets, and the suite."""
