"""Records of the runs on this machine, with which other processes find a run, join it, and clean up after it."""
