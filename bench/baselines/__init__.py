"""The all-reduce schemes that Dropzero is compared with, over TCP, and a lower bound for each one's time."""
