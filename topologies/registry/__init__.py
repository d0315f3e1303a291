"""The records of runs on this machine, with which other processes find, join, and clean up after a run."""
