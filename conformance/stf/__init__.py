"""p4c's STF packet tests: their language, what they run on, and the suite."""
