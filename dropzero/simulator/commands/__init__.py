"""`dropzero simulate` and `dropzero sweep`."""
