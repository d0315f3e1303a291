"""The record of each run on this machine, by which other processes find it, join it, and clean up after it."""
